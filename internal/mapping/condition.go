package mapping

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// test is a condition on one source, or, with any, on one of several lists of
// conditions. What every record looks at is small; the rest is behind a pointer.
type test struct {
	src      source
	is       []string
	present  int8  // 1 must be there, -1 must not, 0 either
	plain    bool  // nothing but is and present
	constant int32 // 1 + slot in scratch.hoisted if only the scope and the resource decide it
	*testText
}

type testText struct {
	not           []string
	prefix        []string
	suffix        []string
	has           []string
	above         *float64
	since, before string // versions
	typ           string
	like, unlike  string
	any           [][]test
}

// hoists is 1 for a condition on the scope or the resource.
func (t *test) hoists() int32 { return min(t.constant, 1) }

// What a hoisted test said about the current scope.
const (
	saidNothing uint8 = iota
	saidYes
	saidNo
)

func (s *scratch) matches(tests []test) bool {
	for i := range tests {
		t := &tests[i]
		if t.constant == 0 {
			if !s.match(t) {
				return false
			}
			continue
		}
		if s.hoistedTest(t) == saidNo {
			return false
		}
	}
	return true
}

func (s *scratch) hoistedTest(t *test) uint8 {
	said := &s.hoisted[t.constant-1]
	if *said == saidNothing {
		if *said = saidNo; s.match(t) {
			*said = saidYes
		}
	}
	return *said
}

func (s *scratch) match(t *test) bool {
	if t.any != nil {
		for _, all := range t.any {
			if s.matches(all) {
				return true
			}
		}
		return false
	}
	if t.src.kind == fromSpanEvent && s.isSpan {
		return s.matchEvents(t)
	}
	text, ok, present := s.word(&t.src)
	if t.plain {
		return (t.present == 0 || present == (t.present > 0)) && (t.is == nil || ok && contains(t.is, text))
	}
	return t.holds(text, ok, present, func() datum { return s.read(&t.src) })
}

// matchEvents: a condition on an event's attribute holds if it holds for any
// event of the name.
func (s *scratch) matchEvents(t *test) bool {
	seen := false
	for _, e := range s.span.Events().All() {
		d := eventDatum(e, &t.src)
		if d.kind == kindNone {
			continue
		}
		seen = true
		text, ok := d.text()
		if t.present >= 0 && t.holds(text, ok, true, func() datum { return d }) {
			return true
		}
	}
	return !seen && t.holds("", false, false, func() datum { return datum{} })
}

func (t *test) holds(text string, ok, present bool, value func() datum) bool {
	if t.present != 0 && present != (t.present > 0) {
		return false
	}
	switch {
	case t.is != nil && !(ok && contains(t.is, text)),
		t.not != nil && ok && contains(t.not, text),
		t.prefix != nil && !hasAnyPrefix(text, t.prefix),
		t.suffix != nil && !anyOf(text, t.suffix, strings.HasSuffix),
		t.has != nil && !anyOf(text, t.has, strings.Contains),
		t.like != "" && !likeness[t.like](text),
		t.unlike != "" && ok && likeness[t.unlike](text):
		return false
	}
	if t.since != "" {
		if older, ok := olderVersion(text, t.since); !ok || older {
			return false
		}
	}
	if t.before != "" {
		if older, ok := olderVersion(text, t.before); !ok || !older {
			return false
		}
	}
	if t.above != nil || t.typ != "" {
		d := value()
		if n, ok := d.number(); t.above != nil && !(ok && n > *t.above) {
			return false
		}
		return t.typ == "" || typeWord(&d) == t.typ
	}
	return true
}

func typeWord(d *datum) string {
	switch d.kind {
	case kindString:
		return "string"
	case kindInt:
		return "int"
	case kindDouble:
		return "double"
	case kindBool:
		return "bool"
	case kindList:
		return "list"
	case kindJSON:
		if strings.HasPrefix(d.s, "[") {
			return "list"
		}
		return "map"
	case kindValue:
		if d.v.Type() == pcommon.ValueTypeSlice {
			return "list"
		}
		return "map"
	}
	return ""
}

// likeness names the forms that a text may have.
var likeness = map[string]func(string) bool{"uuid": isUUID, "uuid7": isUUID7, "phrase": isPhrase}

// isPhrase reports whether a text is no name of a class: those have letters,
// digits, dots and underscores, and no more than maxClassName bytes.
func isPhrase(text string) bool {
	if len(text) == 0 || len(text) > maxClassName || text[0] >= '0' && text[0] <= '9' {
		return true
	}
	for i := 0; i < len(text); i++ {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (text[i] < '0' || text[i] > '9') && text[i] != '.' && text[i] != '_' {
			return true
		}
	}
	return false
}

const maxClassName = 120

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
		}
	}
	return true
}

// isUUID7 wants version 7 and the variant of RFC 9562.
func isUUID7(text string) bool {
	return isUUID(text) && text[14] == '7' && strings.IndexByte("89abAB", text[19]) >= 0
}

// word is the value of a source as text; conditions look at words mostly, and
// this is cheaper than read.
func (s *scratch) word(src *source) (text string, ok, present bool) {
	switch src.kind {
	case fromAttribute:
		if !s.has(src.key) {
			return "", false, false
		}
		if v := s.attrs[src.key].val; v.Type() == pcommon.ValueTypeStr {
			return v.Str(), true, true
		}
	case fromMember:
		if !s.has(src.key) {
			return "", false, false
		}
	case fromName:
		return s.name, s.name != "", s.name != ""
	case fromScopeName:
		return s.scopeName, s.scopeName != "", s.scopeName != ""
	case fromStatus, fromKind:
		if !s.isSpan {
			return "", false, false
		}
		if text = statusWord(s.span.Status().Code()); src.kind == fromKind {
			text = kindWord(s.span.Kind())
		}
		return text, true, true
	}
	d := s.read(src)
	if d.kind == kindList && len(d.list) > 0 {
		return d.list[0], true, true
	}
	if d.kind == kindValue && d.v.Type() == pcommon.ValueTypeSlice && d.v.Slice().Len() > 0 {
		if first := d.v.Slice().At(0); first.Type() == pcommon.ValueTypeStr {
			return first.Str(), true, true
		}
	}
	text, ok = d.text()
	return text, ok, d.kind != kindNone
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

func anyOf(text string, parts []string, f func(s, part string) bool) bool {
	for _, p := range parts {
		if f(text, p) {
			return true
		}
	}
	return false
}
