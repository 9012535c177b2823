package mapping

import (
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var statusCodes = map[string]ptrace.StatusCode{
	"unset": ptrace.StatusCodeUnset, "ok": ptrace.StatusCodeOk, "error": ptrace.StatusCodeError,
}

// settleStatus sets the status that the rules decided, and names the error of a
// span that ended in one and says nowhere which.
func (s *scratch) settleStatus() {
	status := s.span.Status()
	if want, ok := statusCodes[s.status]; ok && want != status.Code() {
		s.sayText(s.t.originalStatus, statusWord(status.Code()))
		status.SetCode(want)
	}
	k := s.t.known.errorType
	if status.Code() != ptrace.StatusCodeError || s.decided[k.id] == s.gen || s.valueOf(k).kind != kindNone {
		return
	}
	s.decided[k.id] = s.gen
	s.inferred = append(s.inferred, k.key)
	for _, e := range s.span.Events().All() {
		if v, ok := e.Attributes().Get(semconv.ExceptionType); ok {
			if d, out := coerce(datumOf(v), typeString); out == fits {
				s.emit(k, d)
				return
			}
		}
	}
	s.sayText(k, otherError)
}

// otherError is the convention's word for an error without a class.
const otherError = "_OTHER"

// relateLinks says what the span's links mean. A link that says it itself keeps
// its word.
func (s *scratch) relateLinks() {
	if len(s.links) == 0 {
		return
	}
	for _, link := range s.span.Links().All() {
		s.link = link.Attributes()
		if _, stated := s.link.Get(semconv.AppLinkRelation); stated {
			continue
		}
		for _, rule := range s.links {
			if s.matches(rule.when) {
				s.link.PutStr(semconv.AppLinkRelation, rule.relation)
				break
			}
		}
	}
}

// maxEach bounds the elements that become events.
const maxEach = 64

// addEvents makes a span event of each element that an each rule is for. What a
// lone element says is also said on the span itself.
func (s *scratch) addEvents() {
	total := 0
	for _, rule := range s.each {
		total += len(s.elements(rule))
	}
	if total == 0 {
		return
	}
	for _, rule := range s.each {
		for _, n := range s.elements(rule) {
			s.addEvent(rule, n, total == 1)
		}
	}
	s.element = ""
}

// elements are the indexes below the rule's prefix, in order.
func (s *scratch) elements(rule *eachRule) []int {
	var at []int
	for k := range s.attributes.All() {
		mid, ok := strings.CutPrefix(k, rule.prefix)
		if !ok {
			continue
		}
		digits, rest, ok := strings.Cut(mid, ".")
		if !ok || !strings.HasPrefix("."+rest, rule.rest) {
			continue
		}
		if n, ok := indexOf(rule.prefix+digits, rule.prefix, ""); ok {
			at = insertIndex(at, n)
		}
	}
	return at
}

// insertIndex keeps the list sorted and without doubles.
func insertIndex(at []int, n int) []int {
	i := len(at)
	for i > 0 && at[i-1] >= n {
		i--
	}
	if i < len(at) && at[i] == n || len(at) >= maxEach {
		return at
	}
	at = append(at, 0)
	copy(at[i+1:], at[i:])
	at[i] = n
	return at
}

func (s *scratch) addEvent(rule *eachRule, n int, alone bool) {
	s.element = rule.prefix + strconv.Itoa(n) + rule.rest
	var event ptrace.SpanEvent
	made := false
	for _, constants := range []bool{false, true} { // a rule's own words alone make no event
		for i := range rule.fields {
			f := &rule.fields[i]
			if (f.how == fieldConst) != constants || f.to.private && !s.t.options.Content {
				continue
			}
			d, src, ok := s.firstOf(f)
			if !ok || constants && !made {
				continue
			}
			if !made {
				made = true
				event = s.span.Events().AppendEmpty()
				event.SetName(rule.event)
				event.SetTimestamp(s.span.EndTimestamp())
			}
			d.put(event.Attributes(), f.to.key)
			if alone && s.decided[f.to.id] != s.gen && !s.has(f.to.id) {
				s.write(f, src, &d)
			}
			if src != nil && src.kind == fromElement && !f.keep && !s.lossy {
				s.removeKey(s.element + src.rest)
			}
		}
	}
}

// firstOf is the first value that a field's sources give.
func (s *scratch) firstOf(f *field) (datum, *source, bool) {
	if f.how == fieldConst {
		return f.konst, nil, true
	}
	for i := range f.from {
		d, out := s.convert(f, &f.from[i], s.read(&f.from[i]))
		switch out {
		case fits:
			return d, &f.from[i], true
		case misfit:
			s.tally.left(leftType)
		}
	}
	return datum{}, nil, false
}

func (s *scratch) removeKey(key string) {
	pos := 0
	for k := range s.attributes.All() {
		if k == key {
			s.removeAt(pos)
			return
		}
		pos++
	}
}

// sinceStart turns a time, RFC 3339 text in JSON's quotes or without, into the
// seconds since the span's start.
func (s *scratch) sinceStart(d datum) (datum, outcome) {
	text, ok := d.text()
	if !ok || !s.isSpan {
		return d, foreign
	}
	at, err := time.Parse(time.RFC3339Nano, strings.Trim(text, `"\`))
	if err != nil {
		return d, misfit
	}
	gap := at.Sub(s.span.StartTimestamp().AsTime())
	if gap < 0 || gap > maxSpanTime {
		return d, foreign
	}
	return datum{kind: kindDouble, f: gap.Seconds()}, fits
}

// maxSpanTime is beyond any answer; a longer time was read off another clock.
const maxSpanTime = 24 * time.Hour
