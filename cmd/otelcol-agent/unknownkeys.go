package main

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// unknownLine is how the decoder of configurations words keys that a struct has not:
// the path or the type of the struct, then the keys.
var unknownLine = regexp.MustCompile(`^'([^']*)' has invalid keys: (.+)$`)

// decodingLine opens the errors of one struct; the next lines tell them.
const decodingLine = "decoding failed due to the following error(s):"

// decodeProblems tells each problem of a decoder's error on a line of its own, and
// whether all of them are keys that do not exist.
func decodeProblems(err error, where string, own *confmap.Conf, cfg any) (out []error, onlyUnknown bool) {
	onlyUnknown = true
	known := keysOf(reflect.TypeOf(cfg))
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, decodingLine) {
			continue
		}
		m := unknownLine.FindStringSubmatch(line)
		if m == nil {
			onlyUnknown = false
			out = append(out, fmt.Errorf("%s: %s", where, line))
			continue
		}
		keys := strings.Split(m[2], ", ")
		slices.Sort(keys)
		for _, key := range keys {
			out = append(out, unknownKey(where, m[1], key, own, known))
		}
	}
	if len(out) == 0 {
		return []error{fmt.Errorf("%s: %w", where, err)}, false
	}
	return out, onlyUnknown
}

func unknownKey(where, in, key string, own *confmap.Conf, known []string) error {
	hint := ""
	if like := nearest(key, known); like != "" {
		hint = "; did you mean " + like
	}
	if at := pathsOf(own.ToStringMap(), key); len(at) == 1 {
		return fmt.Errorf("%s%s%s is no key of this component%s", where, confmap.KeyDelimiter, at[0], hint)
	}
	return fmt.Errorf("%s: %s is no key of '%s'%s", where, key, in, hint)
}

// pathsOf finds a key in what a user wrote, however deep.
func pathsOf(v any, key string) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == key {
				out = append(out, k)
			}
			for _, rest := range pathsOf(v[k], key) {
				out = append(out, k+confmap.KeyDelimiter+rest)
			}
		}
	case []any:
		for i, item := range v {
			for _, rest := range pathsOf(item, key) {
				out = append(out, fmt.Sprintf("%d%s%s", i, confmap.KeyDelimiter, rest))
			}
		}
	}
	return out
}

// keysOf lists every key that a configuration of a type may hold, at any depth.
func keysOf(t reflect.Type) []string {
	keys, seen := map[string]bool{}, map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			for i := range t.NumField() {
				f := t.Field(i)
				if tag, _, _ := strings.Cut(f.Tag.Get("mapstructure"), ","); tag != "" && tag != "-" {
					keys[tag] = true
				}
				walk(f.Type) // also of an optional, which has no tag of its own
			}
		}
	}
	walk(t)
	return slices.Sorted(maps.Keys(keys))
}

// nearest returns the word with the fewest edits to key, if they are few enough to
// be a slip of the hand.
func nearest(key string, words []string) string {
	best, limit := "", max(1, min(2, len(key)/3))
	for _, w := range words {
		if d := edits(key, w); d <= limit {
			best, limit = w, d-1
		}
	}
	return best
}

// edits counts the bytes to insert, remove or replace to make one word the other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
