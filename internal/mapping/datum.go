package mapping

import (
	"math"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

type kind uint8

const (
	kindNone   kind = iota
	kindString      // s
	kindInt         // i
	kindDouble      // f
	kindBool        // i is 0 or 1
	kindList        // list, owned
	kindJSON        // s is the text of a JSON array or object
	kindValue       // v is a slice, a map or bytes of the record
	kindEvents      // the span's events
)

// datum is one value on its way from a source to a target. Strings are shared
// with the record.
type datum struct {
	kind kind
	s    string
	i    int64
	f    float64
	list []string
	v    pcommon.Value
}

func stringDatum(s string) datum { return datum{kind: kindString, s: s} }

func boolDatum(b bool) datum {
	if b {
		return datum{kind: kindBool, i: 1}
	}
	return datum{kind: kindBool}
}

func datumOf(v pcommon.Value) datum {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return stringDatum(v.Str())
	case pcommon.ValueTypeInt:
		return datum{kind: kindInt, i: v.Int()}
	case pcommon.ValueTypeDouble:
		return datum{kind: kindDouble, f: v.Double()}
	case pcommon.ValueTypeBool:
		return boolDatum(v.Bool())
	case pcommon.ValueTypeEmpty:
		return datum{}
	default:
		return datum{kind: kindValue, v: v}
	}
}

// text is the value as a word to compare with words of a dialect file.
func (d *datum) text() (string, bool) {
	switch d.kind {
	case kindString, kindJSON:
		return d.s, true
	case kindInt:
		return strconv.FormatInt(d.i, 10), true
	case kindDouble:
		if d.f == math.Trunc(d.f) && math.Abs(d.f) <= maxExactInt { // a JSON reader's integer
			return strconv.FormatInt(int64(d.f), 10), true
		}
		return strconv.FormatFloat(d.f, 'g', -1, 64), true
	case kindBool:
		if d.i == 1 {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

func (d *datum) number() (float64, bool) {
	switch d.kind {
	case kindInt:
		return float64(d.i), true
	case kindDouble:
		return d.f, true
	case kindString:
		f, err := strconv.ParseFloat(d.s, 64)
		return f, err == nil
	}
	return 0, false
}

// equal is for coerced values of one type.
func (d *datum) equal(o *datum) bool {
	if d.kind != o.kind || len(d.list) != len(o.list) {
		return false
	}
	for i := range d.list {
		if d.list[i] != o.list[i] {
			return false
		}
	}
	return d.s == o.s && d.i == o.i && d.f == o.f && d.kind != kindValue
}

func (d *datum) put(m pcommon.Map, key string) {
	switch d.kind {
	case kindString, kindJSON:
		m.PutStr(key, d.s)
	case kindInt:
		m.PutInt(key, d.i)
	case kindDouble:
		m.PutDouble(key, d.f)
	case kindBool:
		m.PutBool(key, d.i == 1)
	case kindList:
		s := m.PutEmptySlice(key)
		s.EnsureCapacity(len(d.list))
		for _, e := range d.list {
			s.AppendEmpty().SetStr(e)
		}
	}
}
