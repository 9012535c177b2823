package main

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/confmap"
)

// wholeNumberProblems tells every number that a configuration of a type cannot hold as
// it was written: the decoder cuts 1.5 to 1 and wraps what is too large or below zero.
func wholeNumberProblems(written any, t reflect.Type, where string) (out []error) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	at := func(key any) string { return fmt.Sprint(where, confmap.KeyDelimiter, key) }
	switch t.Kind() {
	case reflect.Pointer:
		return wholeNumberProblems(written, t.Elem(), where)
	case reflect.Slice, reflect.Array:
		list, _ := written.([]any)
		for i, item := range list {
			out = append(out, wholeNumberProblems(item, t.Elem(), at(i))...)
		}
	case reflect.Map:
		members, _ := written.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(members)) {
			out = append(out, wholeNumberProblems(members[key], t.Elem(), at(key))...)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			tag, options, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
			members, isMap := written.(map[string]any)
			member, there := members[tag]
			switch {
			case strings.Contains(options, "squash"), f.Name == "value" && strings.HasSuffix(t.PkgPath(), "/configoptional"):
				out = append(out, wholeNumberProblems(written, f.Type, where)...)
			case isMap && there && tag != "" && tag != "-":
				out = append(out, wholeNumberProblems(member, f.Type, at(tag))...)
			}
		}
	default:
		if problem := wholeNumberProblem(written, t); problem != "" {
			return []error{fmt.Errorf("%s %s, found %v", where, problem, written)}
		}
	}
	return out
}

// wholeNumberProblem is what is wrong with a number for a field of a type, if anything.
func wholeNumberProblem(written any, t reflect.Type) string {
	var low, high float64
	switch {
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		high = math.Ldexp(1, t.Bits()-1)
		low = -high
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		high = math.Ldexp(1, t.Bits())
	default:
		return ""
	}
	v := reflect.ValueOf(written)
	var n float64
	switch {
	case !v.IsValid():
		return ""
	case v.CanInt():
		n = float64(v.Int())
	case v.CanUint():
		n = float64(v.Uint())
	case v.CanFloat():
		n = v.Float()
	default:
		return ""
	}
	switch {
	case n != math.Trunc(n) && t == reflect.TypeFor[time.Duration]():
		return "must be a duration with its unit, such as 1.5s"
	case n != math.Trunc(n): // also what is no number
		return "must be a whole number"
	case n < low || n >= high:
		return "is not in the range of this key"
	}
	return ""
}
