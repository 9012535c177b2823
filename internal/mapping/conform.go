package mapping

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// conform corrects the types of the snapshot's own keys, and folds finish
// reasons, where no field did.
func (s *scratch) conform() {
	for _, slot := range s.seen {
		if slot.notes&noteNative == 0 {
			continue
		}
		id := slot.id
		v := s.attrs[id].val
		if isOfType(v, slot.wants) && (slot.notes&noteCount == 0 || v.Int() >= 0) || s.decided[id] == s.gen {
			continue
		}
		if t := s.t.keys[id].native; !(t.finish && areReasons(v)) && !s.gone(id) {
			s.conformOne(t, id, v)
		}
	}
}

func (s *scratch) conformOne(t *target, id int32, v pcommon.Value) {
	now := datumOf(v)
	d, out := coerce(now, t.typ)
	if t.count && out == fits && d.i < 0 {
		out = absent
	}
	switch {
	case out == misfit:
		if rule := s.t.keys[id].rule; !containsID(s.misfits, id) && (rule == nil || !rule.needs(v)) {
			s.tally.left(leftType) // nobody counted it yet
		}
	case out == absent:
		s.removeAttribute(id) // a placeholder
	case t.finish:
		s.decided[id] = s.gen
		s.writeFinish(t, d)
	case d.kind != now.kind || d.s != now.s:
		s.decided[id] = s.gen
		s.emit(t, d)
	}
}

// areReasons is the quick answer for finish reasons in the snapshot's words.
func areReasons(v pcommon.Value) bool {
	if v.Type() != pcommon.ValueTypeSlice {
		return false
	}
	list := v.Slice()
	for i := range list.Len() {
		if e := list.At(i); e.Type() != pcommon.ValueTypeStr || !isReason(e.Str()) {
			return false
		}
	}
	return list.Len() > 0
}

func isReason(word string) bool {
	switch word {
	case "stop", "length", "tool_call", "content_filter", "error", "compaction":
		return true
	}
	return false
}

// isOfType is the quick answer for a value that needs nothing.
func isOfType(v pcommon.Value, t valueType) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return t == typeString && plainText(v.Str())
	case pcommon.ValueTypeInt:
		return t == typeInt
	case pcommon.ValueTypeDouble:
		return t == typeDouble && v.Double()-v.Double() == 0 // neither NaN nor infinite
	case pcommon.ValueTypeBool:
		return t == typeBool
	}
	return false
}

// plainText reports whether a text is certainly no word for nothing and has no
// space around it.
func plainText(s string) bool {
	return s != "" && s[0] > ' ' && s[len(s)-1] > ' ' && (len(s) > len("undefined") || !isNothing(s))
}
