package mapping

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

type valueType uint8

const (
	typeString valueType = iota
	typeInt
	typeDouble
	typeBool
	typeStrings
	typeAny
)

// valueTypes are the type words of the registries.
var valueTypes = map[string]valueType{
	"string": typeString, "int": typeInt, "double": typeDouble, "boolean": typeBool,
	"string[]": typeStrings, "any": typeAny, "template": typeAny,
}

// outcome of a coercion.
type outcome uint8

const (
	absent outcome = iota // nothing was said
	fits
	misfit  // something was said that the type cannot hold
	foreign // something was said that is not for this field
)

// coerce is the one place where a value changes its type: numbers and booleans
// that came as strings, numbers that a JSON reader turned into doubles, lists
// that came as JSON text. Words for nothing and NaN are absent; whatever would
// lose something is a misfit.
func coerce(d datum, t valueType) (datum, outcome) {
	switch d.kind {
	case kindNone:
		return d, absent
	case kindList:
		if t != typeStrings && t != typeAny { // of several values of one source the first counts
			if len(d.list) == 0 {
				return d, absent
			}
			return coerce(stringDatum(d.list[0]), t)
		}
	case kindString:
		if t == typeAny {
			return d, fits
		}
		if !plainText(d.s) {
			if d.s = strings.TrimSpace(d.s); isNothing(d.s) {
				return d, absent
			}
		}
		if t == typeString {
			return d, fits
		}
	case kindDouble:
		if math.IsNaN(d.f) {
			return d, absent
		}
	}
	switch t {
	case typeString:
		return coerceString(d)
	case typeInt:
		return coerceInt(d)
	case typeDouble:
		return coerceDouble(d)
	case typeBool:
		return coerceBool(d)
	case typeStrings:
		return coerceStrings(d)
	default:
		return d, fits
	}
}

// isNothing lists the words that emitters write for a value they do not have.
func isNothing(s string) bool {
	return s == "" || s == "null" || s == "undefined" || s == "NaN" || s == "nan"
}

// placeholders are texts that stand where a value should be.
var placeholders = map[string]bool{
	"": true, "null": true, "undefined": true, "NaN": true, "nan": true, "None": true, "N/A": true, "n/a": true, "unknown": true,
	"{}": true, "[]": true, "<not specified>": true, "<not serializable>": true, "(merged tools)": true, "-1": true,
}

// isPlaceholder reports whether nothing is lost when the value goes.
func isPlaceholder(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return placeholders[strings.TrimSpace(v.Str())]
	case pcommon.ValueTypeInt:
		return v.Int() < 0
	case pcommon.ValueTypeDouble:
		return math.IsNaN(v.Double()) || v.Double() < 0
	case pcommon.ValueTypeSlice:
		return v.Slice().Len() == 0
	case pcommon.ValueTypeMap:
		return v.Map().Len() == 0
	case pcommon.ValueTypeEmpty:
		return true
	}
	return false
}

func coerceString(d datum) (datum, outcome) {
	switch d.kind {
	case kindString:
		return d, fits
	case kindInt, kindDouble, kindBool:
		s, _ := d.text()
		return stringDatum(s), fits
	}
	return d, misfit
}

// maxExactInt is the largest double below which every integer is exact.
const maxExactInt = 1 << 53

func coerceInt(d datum) (datum, outcome) {
	switch d.kind {
	case kindInt:
		return d, fits
	case kindString:
		if !strings.ContainsAny(d.s, ".eEnN") { // a failed parse would allocate
			i, err := strconv.ParseInt(d.s, 10, 64)
			if err != nil {
				return d, misfit
			}
			return datum{kind: kindInt, i: i}, fits
		}
		f, err := strconv.ParseFloat(d.s, 64)
		if err != nil {
			return d, misfit
		}
		return coerceInt(datum{kind: kindDouble, f: f})
	case kindDouble:
		if d.f != math.Trunc(d.f) || math.Abs(d.f) > maxExactInt {
			return d, misfit
		}
		return datum{kind: kindInt, i: int64(d.f)}, fits
	}
	return d, misfit
}

func coerceDouble(d datum) (datum, outcome) {
	switch d.kind {
	case kindDouble:
	case kindInt:
		d = datum{kind: kindDouble, f: float64(d.i)}
	case kindString:
		f, err := strconv.ParseFloat(d.s, 64)
		if err != nil || math.IsNaN(f) {
			return d, misfit
		}
		d = datum{kind: kindDouble, f: f}
	default:
		return d, misfit
	}
	if math.IsInf(d.f, 0) {
		return d, misfit
	}
	return d, fits
}

func coerceBool(d datum) (datum, outcome) {
	switch d.kind {
	case kindBool:
		return d, fits
	case kindString:
		switch d.s {
		case "true", "True", "TRUE", "1":
			return boolDatum(true), fits
		case "false", "False", "FALSE", "0":
			return boolDatum(false), fits
		}
	case kindInt:
		if d.i == 0 || d.i == 1 {
			return boolDatum(d.i == 1), fits
		}
	case kindDouble:
		if d.f == 0 || d.f == 1 {
			return boolDatum(d.f == 1), fits
		}
	}
	return d, misfit
}

// coerceStrings leaves a slice of plain strings where it is (kindValue), so
// that a list which already fits costs nothing.
func coerceStrings(d datum) (datum, outcome) {
	switch d.kind {
	case kindList:
	case kindString:
		if strings.HasPrefix(d.s, "[") {
			text := d.s
			if isPython(text) {
				text, _ = pythonJSON(text)
			}
			if l, ok := jsonStrings(text); ok {
				d = datum{kind: kindList, list: l}
				break
			}
		}
		d = datum{kind: kindList, list: []string{d.s}}
	case kindJSON:
		l, ok := jsonStrings(d.s)
		if !ok {
			return d, misfit
		}
		d = datum{kind: kindList, list: l}
	case kindInt, kindDouble, kindBool:
		s, _ := d.text()
		d = datum{kind: kindList, list: []string{s}}
	case kindValue:
		if d.v.Type() != pcommon.ValueTypeSlice {
			return d, misfit
		}
		return coerceSlice(d)
	default:
		return d, misfit
	}
	if len(d.list) == 0 {
		return d, absent
	}
	return d, fits
}

func coerceSlice(d datum) (datum, outcome) {
	s := d.v.Slice()
	if s.Len() == 0 {
		return d, absent
	}
	plain := true
	for i := 0; i < s.Len(); i++ {
		switch s.At(i).Type() {
		case pcommon.ValueTypeStr:
		case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
			plain = false
		default:
			return d, misfit
		}
	}
	if plain {
		return d, fits
	}
	return datum{kind: kindList, list: listOf(d)}, fits
}

// listOf copies the strings of a coerced list.
func listOf(d datum) []string {
	if d.kind == kindList {
		return d.list
	}
	s := d.v.Slice()
	out := make([]string, s.Len())
	for i := range out {
		out[i] = s.At(i).AsString()
	}
	return out
}

// unitDivisors bring a number to the unit of its target, seconds or dollars.
// Dividing by a power of ten rounds once, so 811 ms is 0.811 s exactly as read.
var unitDivisors = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9, "micros": 1e6, sinceStart: 1}

// sinceStart is the unit of a time.
const sinceStart = "since_start"
