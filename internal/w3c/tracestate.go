package w3c

import "strings"

const (
	// TracestateMembers is how many members a tracestate may have; one with more
	// is invalid as a whole.
	TracestateMembers = 32
	// TracestateBytes is how long a tracestate must at least be propagated.
	TracestateBytes = 512
	// LongMember is the size above which members are the first to be removed.
	LongMember = 128

	maxStatePart = 256
)

// StateMember is one member of a tracestate.
type StateMember struct {
	Raw   string // without white space around it
	Key   string
	Value string
}

// Vendor is the system that the member belongs to.
func (m StateMember) Vendor() string { return m.Key[strings.LastIndexByte(m.Key, '@')+1:] }

// Tracestate returns the members of a tracestate, of equal keys only the first.
// It answers false if one is not valid or there are too many: then the whole
// tracestate must be discarded.
func Tracestate(list string) ([]StateMember, bool) {
	var out []StateMember
	seen := map[string]bool{}
	count := 0
	for raw := range strings.SplitSeq(list, ",") {
		if raw = trim(raw); raw == "" {
			continue
		}
		key, value, found := strings.Cut(raw, "=")
		if count++; count > TracestateMembers || !found || !isStateKey(key) || !isStateValue(value) {
			return nil, false
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, StateMember{raw, key, value})
		}
	}
	return out, true
}

// Cut removes whole members until the list has at most the given bytes: first
// those longer than LongMember, then any, each time from the right.
func Cut(members []StateMember, bytes int) []StateMember {
	size := len(members) - 1
	for _, m := range members {
		size += len(m.Raw)
	}
	keep := append([]StateMember(nil), members...)
	for _, longer := range []int{LongMember, 0} {
		for i := len(keep) - 1; i >= 0 && size > bytes; i-- {
			if len(keep[i].Raw) > longer {
				size -= len(keep[i].Raw) + 1
				keep = append(keep[:i], keep[i+1:]...)
			}
		}
	}
	return keep
}

// Join writes members as a list.
func Join(members []StateMember) string {
	raws := make([]string, len(members))
	for i, m := range members {
		raws[i] = m.Raw
	}
	return strings.Join(raws, ",")
}

func isStateKey(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || i > 0 && strings.IndexByte("_-*/@", c) >= 0) {
			return false
		}
	}
	// A vendor cannot be empty.
	return s != "" && len(s) <= maxStatePart && s[len(s)-1] != '@'
}

func isStateValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return s != "" && len(s) <= maxStatePart
}
