package mapping

import (
	"math/bits"
	"sort"
	"strings"
)

// detector finds the dialect of a record. At most one wins: a marker key (a
// processor rewrote the span under a foreign scope), else the scope, else the
// resource, else the event or metric name, else a key the dialect owns, else the
// longest conjunction, those of dialects that want to be last after all others; inside one step the dialect that comes first by name.
type detector struct {
	firm         map[int16]bool // dialects whose scope beats a marker
	scopes       map[string]int16
	scopeFamily  []family
	resource     []guarded
	names        map[string]int16
	nameFamily   []family
	nameEnding   []family      // *.rest: any one word, a dot and the rest
	keyFamily    [256][]family // by first byte
	familySecond [256]uint64   // by first byte: which second bytes begin a family
	conjunctions []guarded     // longest first
	unanchored   bitset        // conjunctions that may hold without any known key
}

// anyWord is a first word, with its dot, that a rule does not name.
const anyWord = "*."

type family struct {
	prefix  string
	dialect int16
}

type guarded struct {
	when    []test
	dialect int16
	last    bool // the dialect is for what no other one claims
}

func (c *compiler) detection(d detection, sig signal, index int16) {
	det := &c.t.detect[sig]
	if d.line == 0 {
		c.r.fail(1, "%s has no detect", sig)
		return
	}
	claim := func(m *map[string]int16, families *[]family, text, what string) {
		if rest, ok := strings.CutPrefix(text, anyWord); ok && what == "names" {
			for _, f := range det.nameEnding {
				if f.prefix == rest && f.dialect != index {
					c.claims.clash(sig, index, f.dialect, what, text)
				}
			}
			det.nameEnding = append(det.nameEnding, family{rest, index})
			return
		}
		if prefix, ok := strings.CutSuffix(text, "*"); ok {
			if prefix == "" {
				c.r.fail(d.line, "detect.%s must not be only *", what)
				return
			}
			for _, f := range *families {
				if f.prefix == prefix && f.dialect != index {
					c.claims.clash(sig, index, f.dialect, what, text)
				}
			}
			*families = append(*families, family{prefix, index})
			return
		}
		if text == "" {
			c.r.fail(d.line, "detect.%s must not be empty, which is every record without one", what)
			return
		}
		if *m == nil {
			*m = map[string]int16{}
		}
		if other, taken := (*m)[text]; taken {
			c.claims.clash(sig, index, other, what, text)
			return
		}
		(*m)[text] = index
	}
	if d.firm {
		if det.firm == nil {
			det.firm = map[int16]bool{}
		}
		det.firm[index] = true
	}
	for _, s := range d.scopes {
		claim(&det.scopes, &det.scopeFamily, s, "scopes")
	}
	for _, e := range d.events {
		claim(&det.names, &det.nameFamily, e, "names")
	}
	for _, k := range d.markers {
		info := &c.t.keys[c.t.intern(k)]
		if other := info.marker[sig]; other != 0 {
			c.claims.clash(sig, index, other-1, "markers", k)
		}
		info.marker[sig] = index + 1
	}
	for _, k := range d.keys {
		if prefix, ok := strings.CutSuffix(k, "*"); ok {
			if prefix == "" {
				c.r.fail(d.line, "detect.keys must not be only *")
				continue
			}
			for _, f := range det.keyFamily[prefix[0]] {
				if f.prefix == prefix && f.dialect != index {
					c.claims.clash(sig, index, f.dialect, "keys", k)
				}
			}
			det.keyFamily[prefix[0]] = append(det.keyFamily[prefix[0]], family{prefix, index})
			if len(prefix) == 1 {
				det.familySecond[prefix[0]] = ^uint64(0)
			} else {
				det.familySecond[prefix[0]] |= 1 << (prefix[1] & 63)
			}
			continue
		}
		info := &c.t.keys[c.t.intern(k)]
		if other := info.owned[sig]; other != 0 {
			c.claims.clash(sig, index, other-1, "keys", k)
		}
		info.owned[sig] = index + 1
	}
	if len(d.resource) > 0 {
		tests := c.tests(inResource(d.resource))
		det.resource = append(det.resource, guarded{when: tests, dialect: index})
	}
	for _, all := range d.all {
		if len(all) == 0 {
			c.r.fail(d.line, "detect.all has an empty conjunction, which every record fulfils")
		}
		if tests := c.tests(all); len(tests) > 0 {
			det.conjunctions = append(det.conjunctions, guarded{when: tests, dialect: index, last: d.last})
		}
	}
	sort.SliceStable(det.conjunctions, func(i, j int) bool {
		a, b := &det.conjunctions[i], &det.conjunctions[j]
		if a.last || b.last {
			return !a.last // a dialect's own stay in the order of its file
		}
		return len(a.when) > len(b.when)
	})
}

// anchor finds for each conjunction a key without which it cannot hold, so that
// few are looked at. Of several the one counts that the fewest want.
func (d *detector) anchor(t *Tables, sig signal) {
	wanted := map[int32]int{}
	each := func(g *guarded, f func(key int32)) {
		for j := range g.when {
			when := &g.when[j]
			if src := when.src.kind; when.any == nil && when.wantsValue() && (src == fromAttribute || src == fromMember) {
				f(when.src.key)
			}
		}
	}
	for i := range d.conjunctions {
		each(&d.conjunctions[i], func(key int32) { wanted[key]++ })
	}
	d.unanchored = newBitset(len(d.conjunctions))
	for i := range d.conjunctions {
		g := &d.conjunctions[i]
		anchor := int32(-1)
		each(g, func(key int32) {
			if anchor < 0 || wanted[key] < wanted[anchor] {
				anchor = key
			}
		})
		if anchor < 0 {
			d.unanchored.set(i)
			continue
		}
		info := &t.keys[anchor]
		if info.anchors[sig] == nil {
			info.anchors[sig] = newBitset(len(d.conjunctions))
		}
		info.anchors[sig].set(i)
		for j := range g.when { // it is the one that most likely fails
			if g.when[j].src.key == anchor && (g.when[j].src.kind == fromAttribute || g.when[j].src.kind == fromMember) {
				g.when[0], g.when[j] = g.when[j], g.when[0]
				break
			}
		}
	}
}

// wantsValue reports whether the condition fails when the source says nothing.
func (t *test) wantsValue() bool {
	return t.present > 0 || t.is != nil || t.prefix != nil || t.suffix != nil || t.has != nil || t.like != "" ||
		t.since != "" || t.before != "" || t.above != nil || t.typ != ""
}

func inResource(conditions []condition) []condition {
	out := make([]condition, len(conditions))
	for i, c := range conditions {
		out[i] = c
		out[i].source = resourcePrefix + c.source
	}
	return out
}

func lookup(exact map[string]int16, families []family, text string) int16 {
	if d, ok := exact[text]; ok {
		return d
	}
	best, length := int16(-1), 0
	for _, f := range families {
		if len(f.prefix) > length && strings.HasPrefix(text, f.prefix) {
			best, length = f.dialect, len(f.prefix)
		}
	}
	return best
}

// hoist finds what the scope and the resource alone say; it is asked once a
// scope. The answer is -1 if they say nothing.
func (d *detector) hoist(s *scratch) int16 {
	if found := lookup(d.scopes, d.scopeFamily, s.scopeName); found >= 0 {
		return found
	}
	for i := range d.resource {
		if s.matches(d.resource[i].when) {
			return d.resource[i].dialect
		}
	}
	return -1
}

// pick finds the dialect of the scanned record.
func (d *detector) pick(s *scratch, hoisted int16, name string) int16 {
	switch {
	case s.marker > 0 && !(hoisted >= 0 && d.firm[hoisted]):
		return s.marker - 1
	case hoisted >= 0:
		return hoisted
	}
	if name != "" {
		if found := lookup(d.names, d.nameFamily, name); found >= 0 {
			return found
		}
		if _, rest, ok := strings.Cut(name, "."); ok {
			for _, f := range d.nameEnding {
				if f.prefix == rest {
					return f.dialect
				}
			}
		}
	}
	if s.owner > 0 {
		return s.owner - 1
	}
	if !s.liveKnown {
		d.findLive(s)
	}
	for n, live := range s.live {
		for maybe := live & (s.anchored.word(n) | d.unanchored.word(n)); maybe != 0; maybe &= maybe - 1 {
			if g := &d.conjunctions[n*64+bits.TrailingZeros64(maybe)]; s.matches(g.when) {
				return g.dialect
			}
		}
	}
	return -1
}

// findLive finds the conjunctions that the scope and the resource leave
// possible, once a scope.
func (d *detector) findLive(s *scratch) {
	s.liveKnown = true
	s.live.clear()
	for i := range d.conjunctions {
		if s.possible(d.conjunctions[i].when) {
			s.live.set(i)
		}
	}
}

// bitset holds small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) clear() { clear(b) }

// add is for sets made for equally many numbers, or fewer.
func (b bitset) add(o bitset) {
	for n, w := range o {
		b[n] |= w
	}
}

func (b bitset) word(n int) uint64 {
	if n < len(b) {
		return b[n]
	}
	return 0
}

// conjunctions is how many a detector has at most.
func (t *Tables) conjunctions() int {
	most := 0
	for i := range t.detect {
		most = max(most, len(t.detect[i].conjunctions))
	}
	return most
}
