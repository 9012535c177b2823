package semconv

import "strings"

// keySet holds keys; a segment "*" stands for any decimal index, so that
// llm.tools.*.tool.json_schema covers llm.tools.12.tool.json_schema.
type keySet map[string]struct{}

// maxIndexedKey bounds the key length that is looked at for indexes.
const maxIndexedKey = 160

func (s keySet) add(key string) { s[key] = struct{}{} }

func (s keySet) has(key string) bool {
	if _, ok := s[key]; ok {
		return true
	}
	var buf [maxIndexedKey]byte
	if folded, ok := foldIndexes(buf[:0], key); ok {
		_, found := s[string(folded)]
		return found
	}
	return false
}

// hasParentOf reports whether a member followed by a dot starts the key.
func (s keySet) hasParentOf(key string) bool {
	for i := 0; i < len(key); i++ {
		if key[i] == '.' {
			if _, ok := s[key[:i]]; ok {
				return true
			}
		}
	}
	var buf [maxIndexedKey]byte
	folded, ok := foldIndexes(buf[:0], key)
	if !ok {
		return false
	}
	for i, b := range folded {
		if b == '.' {
			if _, ok := s[string(folded[:i])]; ok {
				return true
			}
		}
	}
	return false
}

// foldIndexes writes the key with each decimal segment as "*". It answers
// false when there is none, or when the key is too long to be an indexed one.
func foldIndexes(dst []byte, key string) ([]byte, bool) {
	if len(key) > maxIndexedKey {
		return nil, false
	}
	any := false
	for key != "" {
		seg, rest, more := strings.Cut(key, ".")
		if isIndex(seg) {
			dst, any = append(dst, '*'), true
		} else {
			dst = append(dst, seg...)
		}
		if more {
			dst = append(dst, '.')
		}
		key = rest
	}
	return dst, any
}

func isIndex(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
