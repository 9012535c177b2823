package main

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// unknownLine is how the decoder of configurations words keys that a struct has not:
// the path or the type of the struct, then the keys.
var unknownLine = regexp.MustCompile(`^'([^']*)' has invalid keys: (.+)$`)

// decodingLine opens the errors of one struct; the next lines tell them.
const decodingLine = "decoding failed due to the following error(s):"

// decodeProblems tells each problem of a decoder's error on a line of its own. Where all
// of them are keys that do not exist, rest is the configuration without them.
func decodeProblems(err error, where string, own *confmap.Conf, cfg any) (out []error, rest *confmap.Conf) {
	known, left := keysOf(reflect.TypeOf(cfg)), own.ToStringMap()
	onlyUnknown := true
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
			hint := ""
			if like := nearest(key, known); like != "" {
				hint = "; did you mean " + like
			}
			at := pathsOf(own.ToStringMap(), key)
			if len(at) != 1 {
				onlyUnknown = false
				out = append(out, fmt.Errorf("%s: %s is no key of '%s'%s", where, key, m[1], hint))
				continue
			}
			remove(left, strings.Split(at[0], confmap.KeyDelimiter))
			out = append(out, fmt.Errorf("%s%s%s is no key of this component%s", where, confmap.KeyDelimiter, at[0], hint))
		}
	}
	switch {
	case len(out) == 0:
		return []error{fmt.Errorf("%s: %w", where, err)}, nil
	case !onlyUnknown:
		return out, nil
	}
	return out, confmap.NewFromStringMap(left)
}

// remove takes the value at a path out of maps and lists in each other.
func remove(from any, path []string) {
	switch from := from.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(from, path[0])
			return
		}
		remove(from[path[0]], path[1:])
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(from) {
			remove(from[i], path[1:])
		}
	}
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
