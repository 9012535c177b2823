package mapping

import (
	"sort"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// has reports whether the record itself carries the key.
func (s *scratch) has(id int32) bool { return s.attrs[id].gen == s.gen }

// gone reports whether the record's own attribute is on its way out.
func (s *scratch) gone(id int32) bool {
	pos := s.attrs[id].pos
	return pos >= 0 && int(pos) < len(s.remove) && s.remove[pos] != kept
}

// read gives the value of a source; kindNone if it says nothing.
func (s *scratch) read(src *source) datum {
	switch src.kind {
	case fromAttribute:
		if s.has(src.key) {
			return datumOf(s.attrs[src.key].val)
		}
	case fromMember:
		return s.member(src)
	case fromBelow:
		return s.below(src.prefix)
	case fromIndexed:
		return s.indexed(src)
	case fromElement:
		if v, ok := s.attributes.Get(s.element + src.rest); ok {
			return datumOf(v)
		}
	case fromAnyWord:
		return s.anyWord(src.rest)
	case fromRecall:
		return s.recalled(src)
	case fromLink:
		if v, ok := s.link.Get(src.rest); ok {
			return datumOf(v)
		}
	case fromResource:
		return s.resource[src.key]
	case fromTarget:
		return s.valueOf(src.to)
	case fromName:
		return textOrNone(s.name)
	case fromEvent:
		return textOrNone(s.event)
	case fromScopeName:
		return textOrNone(s.scopeName)
	case fromScopeVersion:
		return textOrNone(s.scopeVersion)
	case fromSpanEvents:
		if s.place.first || s.isSpan && s.span.Events().Len() > 0 {
			return datum{kind: kindEvents}
		}
	case fromSeverity:
		if s.isLog {
			return textOrNone(severityText(s.record))
		}
	default:
		if s.isSpan {
			return s.readSpan(src)
		}
	}
	return datum{}
}

func (s *scratch) readSpan(src *source) datum {
	switch src.kind {
	case fromSpanEvent:
		return s.eventValue(src)
	case fromParentName, fromParentScope, fromChildName:
		return textOrNone(s.kinName(src))
	case fromStatus:
		return stringDatum(statusWord(s.span.Status().Code()))
	case fromStatusMessage:
		return textOrNone(s.span.Status().Message())
	case fromKind:
		return stringDatum(kindWord(s.span.Kind()))
	case fromRoot:
		if s.span.ParentSpanID().IsEmpty() {
			return boolDatum(true)
		}
	case fromLinks:
		if n := s.span.Links().Len(); n > 0 {
			return datum{kind: kindInt, i: int64(n)}
		}
	}
	return datum{}
}

func statusWord(c ptrace.StatusCode) string {
	words := [...]string{ptrace.StatusCodeUnset: "unset", ptrace.StatusCodeOk: "ok", ptrace.StatusCodeError: "error"}
	if c < 0 || int(c) >= len(words) {
		return ""
	}
	return words[c]
}

func kindWord(k ptrace.SpanKind) string {
	words := [...]string{
		ptrace.SpanKindUnspecified: "unspecified", ptrace.SpanKindInternal: "internal", ptrace.SpanKindClient: "client",
		ptrace.SpanKindServer: "server", ptrace.SpanKindProducer: "producer", ptrace.SpanKindConsumer: "consumer",
	}
	if k < 0 || int(k) >= len(words) {
		return ""
	}
	return words[k]
}

// severityText is the stated word, else that of the number's range.
func severityText(r plog.LogRecord) string {
	if text := r.SeverityText(); text != "" {
		return strings.ToLower(text)
	}
	words := [...]string{"trace", "debug", "info", "warn", "error", "fatal"}
	if n := int(r.SeverityNumber()) - 1; n >= 0 && n/4 < len(words) {
		return words[n/4]
	}
	return ""
}

// below answers with the prefix itself if any attribute is under it.
func (s *scratch) below(prefix string) datum {
	for k := range s.attributes.All() {
		if strings.HasPrefix(k, prefix) {
			return stringDatum(prefix)
		}
	}
	return datum{}
}

func (s *scratch) removeBelow(prefix string) {
	pos := int32(0)
	for k := range s.attributes.All() {
		if strings.HasPrefix(k, prefix) {
			s.removeAt(int(pos))
		}
		pos++
	}
}

// indexed gives the values of prefix.N.rest in the order of N, which may leave
// numbers out.
func (s *scratch) indexed(src *source) datum {
	type item struct {
		n int
		d datum
	}
	var buf [8]item
	items := buf[:0]
	for k, v := range s.attributes.All() {
		if n, ok := indexOf(k, src.prefix, src.rest); ok && len(items) < maxGathered {
			items = append(items, item{n, datumOf(v)})
		}
	}
	switch len(items) {
	case 0:
		return datum{}
	case 1:
		return items[0].d
	}
	sort.Slice(items, func(i, j int) bool { return items[i].n < items[j].n })
	out := datum{kind: kindList}
	for i := range items {
		if text, ok := items[i].d.text(); ok {
			out.list = append(out.list, text)
		}
	}
	return out
}

func (s *scratch) removeIndexed(src *source) {
	pos := 0
	for k := range s.attributes.All() {
		if _, ok := indexOf(k, src.prefix, src.rest); ok {
			s.removeAt(pos)
		}
		pos++
	}
}

func textOrNone(text string) datum {
	if text == "" {
		return datum{}
	}
	return stringDatum(text)
}

// member reads a path inside an attribute. JSON text is parsed once a record,
// and only if some field asks.
func (s *scratch) member(src *source) datum {
	if !s.has(src.key) {
		return datum{}
	}
	v := s.attrs[src.key].val
	if v.Type() != pcommon.ValueTypeStr {
		return memberOf(v, src.path)
	}
	if s.parsed[src.key] != s.gen {
		s.parsed[src.key] = s.gen
		s.parse(v.Str(), s.t.keys[src.key].json)
	}
	if m := &s.members[src.slot]; m.gen == s.gen {
		return m.val
	}
	return datum{}
}

func (s *scratch) parse(text string, want *jsonPaths) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if trimmed == "" {
		return
	}
	opens := trimmed[0] == '{' || trimmed[0] == '['
	if opens && isPython(trimmed) {
		if fixed, ok := pythonJSON(trimmed); ok {
			scanJSON(fixed, want, s.store)
			return
		}
	}
	if !scanJSON(text, want, s.store) && opens {
		s.tally.left(leftJSON)
	}
}

// memberOf reads a path inside a value of the record; a * gives all elements.
func memberOf(v pcommon.Value, path []string) datum {
	var first datum
	var all []string
	many := false
	for _, name := range path {
		many = many || name == everyElement
	}
	eachMember(v, path, func(d datum) {
		if first.kind == kindNone {
			first = d
		}
		if text, ok := d.text(); many && ok && len(all) < maxGathered {
			all = append(all, text)
		}
	})
	if many && len(all) > 0 {
		return datum{kind: kindList, list: all}
	}
	return first
}

func eachMember(v pcommon.Value, path []string, found func(datum)) {
	if v.Type() == pcommon.ValueTypeStr && path != nil {
		want := newJSONPaths()
		leaf, _ := want.atNames(path)
		leaf.slot = 0
		text := v.Str()
		if trimmed := strings.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && isPython(trimmed) {
			if fixed, ok := pythonJSON(trimmed); ok {
				text = fixed
			}
		}
		scanJSON(text, want, func(_ *jsonPaths, d datum) { found(d) })
		return
	}
	if len(path) == 0 {
		found(datumOf(v))
		return
	}
	name, rest := path[0], path[1:]
	switch v.Type() {
	case pcommon.ValueTypeMap:
		if kid, ok := v.Map().Get(name); ok {
			leafOrDeeper(kid, rest, found)
		}
	case pcommon.ValueTypeSlice:
		list := v.Slice()
		if name == lastElement {
			name = strconv.Itoa(list.Len() - 1)
		}
		if name == everyElement {
			for _, kid := range list.All() {
				leafOrDeeper(kid, rest, found)
			}
		} else if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < list.Len() {
			leafOrDeeper(list.At(n), rest, found)
		}
	}
}

// leafOrDeeper: text at the end of a path is a value, not JSON to look into.
func leafOrDeeper(v pcommon.Value, path []string, found func(datum)) {
	if len(path) == 0 {
		found(datumOf(v))
		return
	}
	eachMember(v, path, found)
}

// eventValue reads an attribute of the first event of a name that has it.
func (s *scratch) eventValue(src *source) datum {
	for _, e := range s.span.Events().All() {
		if d := eventDatum(e, src); d.kind != kindNone {
			return d
		}
	}
	return datum{}
}

func eventDatum(e ptrace.SpanEvent, src *source) datum {
	if e.Name() != src.prefix && src.prefix != everyElement {
		return datum{}
	}
	v, ok := e.Attributes().Get(src.rest)
	switch {
	case !ok:
		return datum{}
	case src.path != nil:
		return memberOf(v, src.path)
	}
	return datumOf(v)
}
