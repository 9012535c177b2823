package redact

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
)

// checks are the validators that rules name. Each looks at the part that would
// be replaced.
var checks = map[string]func(string) bool{
	"digit":             hasDigit,
	"not_word":          func(s string) bool { return !notValues[strings.ToLower(s)] },
	"mixed_case":        mixedCase,
	"not_sample":        func(s string) bool { return !sampleValues[strings.ToLower(s)] },
	"drawn":             func(s string) bool { return hasDigit(s) && hasLetter(s) || randomCase(s) },
	"key_material":      keyMaterial,
	"not_numeric":       func(s string) bool { return strings.Trim(s, "0123456789") != "" },
	"not_reference":     func(s string) bool { return !isReference(s) },
	"jwt_header":        jwtHeader,
	"basic_credentials": basicCredentials,
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}

func hasLetter(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := fold(s[i]); 'a' <= c && c <= 'z' {
			return true
		}
	}
	return false
}

func mixedCase(s string) bool { return strings.ToLower(s) != s && strings.ToUpper(s) != s }

// isReference reports whether the text names where a secret comes from instead
// of being one: $VAR, ${VAR}, $(cmd), {{ x }}, <placeholder>, %(x)s, {x}.
func isReference(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch s[0] {
	case '$':
		c := fold(s[1])
		return c == '{' || c == '(' || c == '_' || 'a' <= c && c <= 'z'
	case '%':
		return s[1] == '(' || s[1] == '{' || s[1] == 's'
	case '{', '<':
		return true
	case '!': // !vault, !Ref: a tag of YAML
		return isPath(s[1:])
	}
	return false
}

// entropy is Shannon's, in bits a byte, over the text's own bytes.
func entropy(s string) float64 {
	var seen [256]int
	for i := 0; i < len(s); i++ {
		seen[s[i]]++
	}
	var bits float64
	for _, n := range seen {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// jwtHeader reports whether the first part of a dotted token decodes to a JOSE
// header. A header too long to look at gets the benefit of the doubt.
func jwtHeader(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	var src, dst [1024]byte
	if len(head) > len(src) {
		return true
	}
	n, err := base64.RawURLEncoding.Decode(dst[:], src[:copy(src[:], head)])
	return err == nil && (bytes.Contains(dst[:n], []byte(`"alg"`)) || bytes.Contains(dst[:n], []byte(`"typ"`)) || bytes.Contains(dst[:n], []byte(`"enc"`)))
}

// basicCredentials reports whether the text is base64 of name:password.
func basicCredentials(s string) bool {
	s = strings.TrimRight(s, "=")
	var src, dst [1024]byte
	if len(s) > len(src) {
		return true
	}
	n, err := base64.RawStdEncoding.Decode(dst[:], src[:copy(src[:], s)])
	if err != nil {
		return false
	}
	colon := bytes.IndexByte(dst[:n], ':')
	for _, b := range dst[:n] {
		if b < 0x20 {
			return false
		}
	}
	return colon >= 0
}
