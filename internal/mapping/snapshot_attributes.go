package mapping

import (
	"math"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// snapshotHit is an attribute that something has to be done for.
type snapshotHit struct {
	key  string
	rule *snapshotKey
}

// heldValues are empty values, each of which holds one on its way.
var heldValues = sync.Pool{New: func() any {
	v := pcommon.NewValueEmpty()
	return &v
}}

// attributes translates one set in place and reports whether it changed.
func (x *translator) attributes(attrs pcommon.Map, y *tally) bool {
	var buf [16]snapshotHit
	hits := buf[:0]
	for key, v := range attrs.All() {
		if x.filter.mayHave(key) {
			if k := x.keys[key]; k != nil && k.needs(v) {
				hits = append(hits, snapshotHit{key, k})
			}
		}
	}
	changed := false
	for i := range hits { // first, since the others may take their names
		if hits[i].rule.stray != nil {
			changed = hits[i].rule.place(attrs, hits[i].key, y) || changed
		}
	}
	for i := range hits {
		if hits[i].rule.stray == nil {
			changed = x.place(attrs, &hits[i], y) || changed
		}
	}
	return changed
}

// place does what one hit asks for.
func (x *translator) place(attrs pcommon.Map, h *snapshotHit, y *tally) bool {
	for i := range h.rule.moves {
		m := &h.rule.moves[i]
		if !allHold(m.where, attrs) {
			continue
		}
		if m.move(attrs, h.key, y) {
			return true
		}
		if !h.rule.native {
			return false
		}
		y = nil // it stays, and was counted
		break
	}
	if !h.rule.native {
		y.leave(leftSnapshot)
		return false
	}
	v, ok := attrs.Get(h.key)
	if !ok {
		return false
	}
	if v.Type() == pcommon.ValueTypeStr {
		word, other := h.rule.words[v.Str()]
		if other {
			v.SetStr(word)
		}
		return other
	}
	return renumber(v, h.rule.number, y)
}

// leave counts unless nobody asks.
func (y *tally) leave(r reason) {
	if y != nil {
		y.left(r)
	}
}

// move brings an attribute to its name in the goal, unless something else is
// there already.
func (m *snapshotMove) move(attrs pcommon.Map, from string, y *tally) bool {
	v, ok := attrs.Get(from)
	if !ok { // the set had the key twice
		return false
	}
	word, fold := "", false
	if v.Type() == pcommon.ValueTypeStr {
		word = v.Str()
		fold = m.folded[word]
		if further, ok := m.values[word]; ok {
			word = further
		}
	}
	if there, ok := attrs.Get(m.to); ok && !saysNothing(there) {
		switch {
		case m.agrees(v, word, there):
			if !fold {
				attrs.Remove(from)
			}
			return !fold
		case !saysNothing(v):
			y.leave(leftConflict)
		}
		return false
	}
	if fold {
		attrs.PutStr(m.to, word)
		return true
	}
	if m.number != 0 && !(renumberable(v, typeInt) && renumberable(v, typeDouble)) {
		if !saysNothing(v) {
			y.leave(leftType) // it might not come back
		}
		return false
	}
	if v.Type() == pcommon.ValueTypeStr && word != v.Str() {
		v.SetStr(word)
	}
	renumber(v, m.number, nil)
	held := heldValues.Get().(*pcommon.Value)
	v.MoveTo(*held)
	attrs.Remove(from) // first, so that the set need not grow
	held.MoveTo(attrs.PutEmpty(m.to))
	heldValues.Put(held)
	followInferred(attrs, from, m.to)
	return true
}

// agrees reports whether what is there already says the same.
func (m *snapshotMove) agrees(v pcommon.Value, word string, there pcommon.Value) bool {
	if v.Type() == pcommon.ValueTypeStr && there.Type() == pcommon.ValueTypeStr {
		now := there.Str()
		if further, ok := m.values[now]; ok {
			now = further
		}
		return now == word
	}
	return v.Equal(there) || isScalar(v) && isScalar(there) && v.AsString() == there.AsString()
}

func isScalar(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return true
	}
	return false
}

func saysNothing(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return true
	case pcommon.ValueTypeStr:
		return isNothing(v.Str())
	case pcommon.ValueTypeDouble:
		return math.IsNaN(v.Double())
	}
	return false
}

// renumberable reports whether the number can have the type and come back.
func renumberable(v pcommon.Value, to valueType) bool {
	switch {
	case to == typeInt && v.Type() == pcommon.ValueTypeDouble:
		f := v.Double()
		return f == math.Trunc(f) && math.Abs(f) <= maxExactInt && !(f == 0 && math.Signbit(f))
	case to == typeDouble && v.Type() == pcommon.ValueTypeInt:
		i := v.Int()
		return -maxExactInt <= i && i <= maxExactInt
	}
	return true
}

// renumber gives a number the goal's type if it can come back.
func renumber(v pcommon.Value, to valueType, y *tally) bool {
	switch {
	case to == 0, v.Type() != pcommon.ValueTypeDouble && v.Type() != pcommon.ValueTypeInt:
		return false
	case !renumberable(v, to):
		if !saysNothing(v) {
			y.leave(leftType)
		}
		return false
	case to == typeInt && v.Type() == pcommon.ValueTypeDouble:
		v.SetInt(int64(v.Double()))
		return true
	case to == typeDouble && v.Type() == pcommon.ValueTypeInt:
		v.SetDouble(float64(v.Int()))
		return true
	}
	return false
}

// followInferred keeps the list of inferred keys in the record's own spelling.
func followInferred(attrs pcommon.Map, from, to string) {
	v, ok := attrs.Get(semconv.AppMappingInferred)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return
	}
	for _, e := range v.Slice().All() {
		if e.Type() == pcommon.ValueTypeStr && e.Str() == from {
			e.SetStr(to)
		}
	}
}
