package tail

import (
	"encoding/binary"
	"errors"
)

// Field numbers of OTLP: TracesData has ResourceSpans, those have ScopeSpans,
// those have spans, all repeated; what else they have belongs to all of theirs.
const (
	fieldResourceSpans = 1
	fieldScopeSpans    = 2
	fieldSpans         = 2
)

var errWire = errors.New("an encoded batch is not what its encoder writes")

// layout is where in an encoded batch its spans are, and what their resources and
// scopes are. It is used again for the next batch.
type layout struct {
	groups []group
	spans  []span
}

// group is a ScopeSpans with what its ResourceSpans says beside its scopes.
type group struct {
	resource          int // number of the ResourceSpans
	before, after     extent
	scopeHead, scopes extent // before and after the spans
}

type span struct {
	group int32
	extent
}

// extent is a part of the encoded batch, tags and lengths included.
type extent struct{ from, to uint32 }

func (e extent) len() int { return int(e.to - e.from) }

// parse finds the spans in their order.
func (l *layout) parse(data []byte) error {
	l.groups, l.spans = l.groups[:0], l.spans[:0]
	n := 0
	for pos := 0; pos < len(data); n++ {
		number, body, next, ok := field(data, pos)
		if !ok || number != fieldResourceSpans {
			return errWire
		}
		if err := l.parseResource(data, n, body, next); err != nil {
			return err
		}
		pos = next
	}
	return nil
}

func (l *layout) parseResource(data []byte, n, from, to int) error {
	first := len(l.groups)
	before, after, err := around(data, from, to, fieldScopeSpans, func(_, body, end int) error {
		g := len(l.groups)
		l.groups = append(l.groups, group{resource: n})
		head, tail, err := around(data, body, end, fieldSpans, func(start, _, next int) error {
			l.spans = append(l.spans, span{int32(g), extent{uint32(start), uint32(next)}})
			return nil
		})
		l.groups[g].scopeHead, l.groups[g].scopes = head, tail
		return err
	})
	for g := first; g < len(l.groups); g++ {
		l.groups[g].before, l.groups[g].after = before, after
	}
	return err
}

// around calls each for every field of one number, which stand together, and
// returns what is before and after them.
func around(data []byte, from, to, number int, each func(start, body, next int) error) (before, after extent, err error) {
	before = extent{uint32(from), uint32(to)}
	after = extent{uint32(to), uint32(to)}
	seen := false
	for pos := from; pos < to; {
		n, body, next, ok := field(data[:to], pos)
		if !ok {
			return before, after, errWire
		}
		if n == number {
			if !seen {
				seen = true
				before.to = uint32(pos)
			} else if after.from != uint32(pos) {
				return before, after, errWire
			}
			after.from = uint32(next)
			if err := each(pos, body, next); err != nil {
				return before, after, err
			}
		}
		pos = next
	}
	return before, after, nil
}

// field reads a field of bytes.
func field(data []byte, pos int) (number, body, next int, ok bool) {
	tag, n := binary.Uvarint(data[pos:])
	if n <= 0 || tag&7 != 2 {
		return 0, 0, 0, false
	}
	size, m := binary.Uvarint(data[pos+n:])
	body = pos + n + m
	if m <= 0 || size > uint64(len(data)-body) {
		return 0, 0, 0, false
	}
	return int(tag >> 3), body, body + int(size), true
}

// frame is the tag of a message and its length, written in five bytes whatever it
// is, so that it can be filled in later.
const frame = 1 + 5

// pen writes one piece: its spans, each below its resource and scope.
type pen struct {
	out             []byte
	resource, group int // that the last span was below
	atResource, at  int // places of their frames
}

// size is what a span adds to a piece whose last span was below the given group.
func (l *layout) size(s span, resource, group int) int {
	n := s.len()
	g := &l.groups[s.group]
	if group != int(s.group) {
		n += frame + g.scopeHead.len() + g.scopes.len()
	}
	if resource != g.resource {
		n += frame + g.before.len() + g.after.len()
	}
	return n
}

func (p *pen) write(data []byte, l *layout, s span) {
	g := &l.groups[s.group]
	if p.group != int(s.group) {
		p.closeGroup()
		if p.resource != g.resource {
			p.closeResource()
			p.resource, p.atResource = g.resource, len(p.out)
			p.open(fieldResourceSpans)
			p.put(data, g.before)
			p.put(data, g.after)
		}
		p.group, p.at = int(s.group), len(p.out)
		p.open(fieldScopeSpans)
		p.put(data, g.scopeHead)
		p.put(data, g.scopes)
	}
	p.put(data, s.extent)
}

func (p *pen) put(data []byte, e extent) { p.out = append(p.out, data[e.from:e.to]...) }

func (p *pen) open(number byte) { p.out = append(p.out, number<<3|2, 0, 0, 0, 0, 0) }

func (p *pen) closeGroup() {
	if p.group >= 0 {
		p.fill(p.at)
	}
}

func (p *pen) closeResource() {
	if p.resource >= 0 {
		p.fill(p.atResource)
	}
}

func (p *pen) end() {
	p.closeGroup()
	p.closeResource()
}

// fill writes the length of what follows a frame into it, in five bytes.
func (p *pen) fill(at int) {
	n := len(p.out) - at - frame
	for i := range 4 {
		p.out[at+1+i] = byte(n>>(7*i))&0x7f | 0x80
	}
	p.out[at+5] = byte(n >> 28)
}
