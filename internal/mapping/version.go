package mapping

import "strings"

// olderVersion reports whether version a comes before b. Versions are compared
// number by number; a leading v and a build after + are ignored, and 1.0-rc or
// 2.4b0 comes before 1.0 or 2.4. A text without any number at its start is no
// version: ok is false.
func olderVersion(a, b string) (older, ok bool) {
	a, okA := plainVersion(a)
	b, okB := plainVersion(b)
	if !okA || !okB {
		return false, false
	}
	for {
		x, restA := leadingNumber(a)
		y, restB := leadingNumber(b)
		if x != y {
			return numberBefore(x, y), true
		}
		a, b = restA, restB
		moreA, moreB := strings.HasPrefix(a, "."), strings.HasPrefix(b, ".")
		if !moreA && !moreB {
			return preReleaseBefore(a, b), true
		}
		a, b = strings.TrimPrefix(a, "."), strings.TrimPrefix(b, ".")
		if !moreA {
			if a != "" { // 1.0-rc against 1.0.0
				a = "0" + a
			} else {
				a = "0"
			}
		}
		if !moreB {
			if b != "" {
				b = "0" + b
			} else {
				b = "0"
			}
		}
	}
}

func plainVersion(v string) (string, bool) {
	v = strings.TrimSpace(v)
	v = strings.TrimPrefix(v, "v")
	v, _, _ = strings.Cut(v, "+")
	return v, v != "" && v[0] >= '0' && v[0] <= '9' && len(v) <= 64
}

// leadingNumber gives the digits without leading zeros.
func leadingNumber(v string) (digits, rest string) {
	n := 0
	for n < len(v) && v[n] >= '0' && v[n] <= '9' {
		n++
	}
	return strings.TrimLeft(v[:n], "0"), v[n:]
}

func numberBefore(x, y string) bool {
	if len(x) != len(y) {
		return len(x) < len(y)
	}
	return x < y
}

// preReleaseBefore compares what follows the numbers: nothing is the release
// and comes last.
func preReleaseBefore(a, b string) bool {
	if a == "" || b == "" {
		return a != "" && b == ""
	}
	return a < b
}
