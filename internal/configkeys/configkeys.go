package configkeys

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Check refuses keys that the struct which config points to has not, in the words of
// the collector's decoder.
func Check(given map[string]any, config any) error {
	if keys := unknown(given, reflect.TypeOf(config).Elem()); len(keys) > 0 {
		return errors.New("has invalid keys: " + strings.Join(keys, ", "))
	}
	return nil
}

// unknown lists the keys that a struct has not, and those of the structs in it.
func unknown(given map[string]any, t reflect.Type) []string {
	known := map[string]reflect.Type{}
	collect(known, t)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		field, ok := known[key]
		if !ok {
			out = append(out, key)
			continue
		}
		if inner, ok := given[key].(map[string]any); ok && field.Kind() == reflect.Struct && !readsItself(field) {
			out = append(out, unknown(inner, field)...)
		}
	}
	return out
}

// collect adds the keys of a struct, those of squashed ones included.
func collect(known map[string]reflect.Type, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		switch {
		case strings.Contains(options, "squash"):
			collect(known, f.Type)
		case name != "" && name != "-":
			known[name] = f.Type
		}
	}
}

// readsItself reports whether a part has a decoder of its own, which is strict itself.
func readsItself(t reflect.Type) bool {
	_, own := reflect.PointerTo(t).MethodByName("Unmarshal")
	return own
}
