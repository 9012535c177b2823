package mapping

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// commit writes what was decided. Values were all read before, so positions and
// values of the record may change now.
func (s *scratch) commit(d *dialect, dropped uint32) {
	for len(s.held) < len(s.out) {
		s.held = append(s.held, pcommon.NewValueEmpty())
	}
	s.holdValues()
	if s.anyGone {
		pos := -1
		s.attributes.RemoveIf(func(_ string, v pcommon.Value) bool {
			if pos++; pos >= len(s.remove) || s.remove[pos] == kept {
				return false
			}
			if n := s.remove[pos]; n >= 0 {
				v.MoveTo(s.held[n])
				s.out[n].moved = true
			}
			return true
		})
	}
	s.attributes.EnsureCapacity(s.attributes.Len() + len(s.out) + stamps)
	for i := range s.out {
		if o := &s.out[i]; o.moved {
			s.held[i].MoveTo(s.attributes.PutEmpty(o.to.key))
		} else {
			s.data[o.data].put(s.attributes, o.to.key)
		}
	}
	if d != nil {
		s.stamp(d, dropped)
	}
}

// holdValues copies the slices, maps and bytes that are written and do not move
// with their attribute: what removes attributes shifts those behind them.
func (s *scratch) holdValues() {
	for i := range s.out {
		o := &s.out[i]
		if o.data < 0 { // moves with its attribute
			continue
		}
		if d := &s.data[o.data]; d.kind == kindValue && !slices.Contains(s.remove, int32(i)) {
			d.v.CopyTo(s.held[i])
			o.moved = true
		}
	}
}

// stamps is the room that is made for the provenance; more is rare.
const stamps = 2

// stamp writes the provenance, by which a second pass knows the record.
func (s *scratch) stamp(d *dialect, dropped uint32) {
	k, attrs := &s.t.known, s.attributes
	attrs.PutStr(k.dialect.key, d.name)
	attrs.PutStr(k.snapshot.key, s.t.snapshot)
	if s.band == "" {
		s.band = s.followed
	}
	if s.band != "" {
		attrs.PutStr(k.band.key, s.band)
	}
	if dropped > 0 {
		attrs.PutBool(k.truncated.key, true)
	}
	if len(s.inferred) > 0 {
		list := attrs.PutEmptySlice(k.inferred.key)
		list.EnsureCapacity(len(s.inferred))
		for _, key := range s.inferred {
			list.AppendEmpty().SetStr(key)
		}
	}
}
