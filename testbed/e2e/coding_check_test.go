package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// codingCheck is one fact about a sample in the words of corpus/coding/README.md.
type codingCheck struct {
	ID, File, Kind, How, Trace, Basis, Why, Then string
	Span, Log, Parent, Child, Needs              map[string]any
	NeedsLog                                     map[string]any `json:"needs_log"`
	Attr                                         string
	Replace                                      map[string]string
	Values                                       []string
	Value                                        any
	N, Min, Max                                  *int

	Eq              any
	OneOf           []any `json:"one_of"`
	NoneOf          []any `json:"none_of"`
	Range           []float64
	Has             any
	Present, Absent bool
}

// codingSpan is a span as the checks see it.
type codingSpan struct {
	trace, id, parent, name, status, kind string
	start, end                            float64 // ms after the samples' zero
	attrs                                 map[string]any
	links                                 []string // trace ids
	text                                  string   // everything that it says, resource and scope included
}

// codingRecord is a log record as the checks see it.
type codingRecord struct {
	event string
	time  float64
	attrs map[string]any
}

// outcome is what one run gave.
type outcome struct {
	spans map[string]*codingSpan // by trace and span id
	logs  []codingRecord
	names map[string][]string // of the sample: name to ids in order
}

func (o *outcome) matching(sel map[string]any) (out []*codingSpan) {
	for _, s := range o.spans {
		if o.matches(s, sel) {
			out = append(out, s)
		}
	}
	return out
}

func (o *outcome) matches(s *codingSpan, sel map[string]any) bool {
	for key, want := range sel {
		switch key {
		case "@nth":
			continue
		case "@src":
			if !o.isSource(s, sel) {
				return false
			}
			continue
		}
		if !anyEqual(o.get(s, key), want) {
			return false
		}
	}
	return true
}

func (o *outcome) isSource(s *codingSpan, sel map[string]any) bool {
	for _, name := range listed(sel["@src"]) {
		ids := o.names[fmt.Sprint(name)]
		if nth, ok := sel["@nth"].(float64); ok {
			if int(nth) < len(ids) && ids[int(nth)] == s.trace+s.id {
				return true
			}
		} else if slices.Contains(ids, s.trace+s.id) {
			return true
		}
	}
	return false
}

// get is a value of the span, nil if it has none.
func (o *outcome) get(s *codingSpan, attr string) any {
	switch attr {
	case "@op":
		if op, _ := s.attrs["gen_ai.operation.name"].(string); op == "chat" || op == "generate_content" || op == "text_completion" {
			return "inference"
		}
		return nil
	case "@root":
		return o.spans[s.trace+s.parent] == nil
	case "@status":
		return s.status
	case "@kind":
		return s.kind
	case "@name":
		return s.name
	case "@start":
		return s.start
	case "@end":
		return s.end
	}
	for _, key := range strings.Split(attr, "|") {
		if v, ok := s.attrs[key]; ok {
			return v
		}
	}
	return nil
}

func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func anyEqual(got, want any) bool {
	if got == nil {
		return false
	}
	for _, w := range listed(want) {
		if sameValue(got, w) {
			return true
		}
	}
	return false
}

func sameValue(a, b any) bool {
	x, isX := a.(float64)
	y, isY := b.(float64)
	if isX && isY {
		return math.Abs(x-y) < 1e-9
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// meets says whether one value meets the check's condition. Times may be off by 1 ms.
func (c codingCheck) meets(got any) bool {
	equal := func(w any) bool {
		x, isX := got.(float64)
		y, isY := w.(float64)
		if isX && isY && strings.HasPrefix(c.Attr, "@") {
			return math.Abs(x-y) <= 1
		}
		return got != nil && sameValue(got, w)
	}
	switch {
	case c.Absent:
		return got == nil
	case c.NoneOf != nil:
		return !slices.ContainsFunc(c.NoneOf, equal)
	case c.Present:
		return got != nil
	case c.OneOf != nil:
		return slices.ContainsFunc(c.OneOf, equal)
	case c.Range != nil:
		x, ok := got.(float64)
		return ok && x >= c.Range[0] && x <= c.Range[1]
	case c.Has != nil:
		return slices.ContainsFunc(listed(got), func(g any) bool { return sameValue(g, c.Has) })
	}
	return equal(c.Eq)
}

// holds runs a check; the answer says what was found instead.
func (c codingCheck) holds(run func(how string) *outcome) error {
	o := run("")
	if c.Needs != nil && len(o.matching(c.Needs)) == 0 || c.NeedsLog != nil && len(o.records(c.NeedsLog)) == 0 {
		return fmt.Errorf("nothing matches what it needs")
	}
	if strings.HasPrefix(c.Kind, "no_") || c.Kind == "same_ids_on_resend" || c.Kind == "ids_differ" {
		if !slices.ContainsFunc(o.matching(nil), func(s *codingSpan) bool { return s.attrs["gen_ai.operation.name"] != nil }) {
			return fmt.Errorf("no span has an operation")
		}
	}
	switch c.Kind {
	case "span_exists":
		return c.inRange(len(o.matching(c.Span)), 1)
	case "count":
		return c.inRange(len(o.matching(c.Span)), 0)
	case "span_attr":
		return c.attribute(o)
	case "parent_of":
		return c.parents(o)
	case "trace_kept":
		return c.kept(o)
	case "no_attr", "no_value", "no_substring":
		return c.nothing(o)
	case "same_ids_on_resend":
		if c.How == "new_run" {
			return sameIDs(o, run("again"))
		}
		return sameIDs(o, run(c.How))
	case "ids_differ":
		return c.otherIDs(o, run("replaced"))
	case "survives":
		return c.inRange(len(run("then").matching(c.Span)), 1)
	case "log_count":
		return c.inRange(len(o.records(c.Log)), 0)
	case "log_attr":
		return c.logAttribute(o)
	}
	return fmt.Errorf("kind %q is not known", c.Kind)
}

func (c codingCheck) inRange(n, least int) error {
	low, high := least, math.MaxInt
	if c.N != nil {
		low, high = *c.N, *c.N
	}
	if c.Min != nil {
		low = *c.Min
	}
	if c.Max != nil {
		high = *c.Max
	}
	if n < low || n > high {
		return fmt.Errorf("%d match", n)
	}
	return nil
}

func (c codingCheck) attribute(o *outcome) error {
	spans := o.matching(c.Span)
	if len(spans) == 0 {
		return fmt.Errorf("no span matches")
	}
	var found []any
	all := c.Absent || c.NoneOf != nil
	held := 0
	for _, s := range spans {
		if c.meets(o.get(s, c.Attr)) {
			held++
		} else {
			found = append(found, o.get(s, c.Attr))
		}
	}
	if held == 0 || all && held < len(spans) {
		return fmt.Errorf("found %v", found)
	}
	return nil
}

func (c codingCheck) parents(o *outcome) error {
	kids := o.matching(c.Child)
	if len(kids) == 0 {
		return fmt.Errorf("no child matches")
	}
	for _, s := range kids {
		up := o.spans[s.trace+s.parent]
		for up != nil && !o.matches(up, c.Parent) {
			up = o.spans[up.trace+up.parent]
		}
		if up == nil {
			return fmt.Errorf("%s has no such ancestor", s.name)
		}
	}
	return nil
}

func (c codingCheck) kept(o *outcome) error {
	for _, s := range o.matching(c.Span) {
		if s.trace == c.Trace || slices.Contains(s.links, c.Trace) {
			return nil
		}
	}
	return fmt.Errorf("no span is in the trace or links to it")
}

func (c codingCheck) nothing(o *outcome) error {
	for _, s := range o.matching(c.Span) {
		for key, v := range s.attrs {
			if c.Kind == "no_attr" && slices.ContainsFunc(strings.Split(c.Attr, "|"), func(a string) bool {
				p, prefix := strings.CutSuffix(a, "*")
				return a == key || prefix && strings.HasPrefix(key, p)
			}) || c.Kind == "no_value" && sameValue(v, c.Value) {
				return fmt.Errorf("%s has %s", s.name, key)
			}
		}
		for _, text := range c.Values {
			if strings.Contains(s.text, text) {
				return fmt.Errorf("%s says %q", s.name, text)
			}
		}
	}
	return nil
}

func sameIDs(a, b *outcome) error {
	for id := range a.spans {
		if b.spans[id] == nil {
			return fmt.Errorf("%s %s is not there again", a.spans[id].name, id)
		}
	}
	if len(a.spans) != len(b.spans) {
		return fmt.Errorf("%d spans, then %d", len(a.spans), len(b.spans))
	}
	return nil
}

func (c codingCheck) otherIDs(a, b *outcome) error {
	for id := range a.spans {
		if b.spans[id] != nil {
			return fmt.Errorf("%s is shared", id)
		}
	}
	if len(a.spans) != len(b.spans) {
		return fmt.Errorf("%d spans, then %d", len(a.spans), len(b.spans))
	}
	return nil
}

func (o *outcome) records(sel map[string]any) (out []codingRecord) {
	for _, r := range o.logs {
		ok := true
		for key, want := range sel {
			var got any
			switch key {
			case "@event":
				got = r.event
			case "@time":
				got = r.time
			default:
				got = r.attrs[key]
			}
			ok = ok && anyEqual(got, want)
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}

func (c codingCheck) logAttribute(o *outcome) error {
	records := o.records(c.Log)
	for _, r := range records {
		var got any = r.time
		if c.Attr != "@time" {
			got = nil
			for _, key := range strings.Split(c.Attr, "|") {
				if v, ok := r.attrs[key]; ok {
					got = v
					break
				}
			}
		}
		if c.meets(got) {
			return nil
		}
	}
	return fmt.Errorf("none of %d records", len(records))
}

// --- reading what the file exporter wrote ---

type attributeList []struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

func (l attributeList) values() map[string]any { return outSpan{Attributes: l}.attributes() }

type exported struct {
	ResourceSpans []struct {
		Resource   json.RawMessage
		ScopeSpans []struct {
			Scope json.RawMessage
			Spans []json.RawMessage
		}
	}
	ResourceLogs []struct {
		ScopeLogs []struct {
			LogRecords []struct {
				TimeUnixNano, EventName string
				Body                    json.RawMessage
				Attributes              attributeList
			}
		}
	}
}

var (
	statusWords = map[int]string{0: "unset", 1: "ok", 2: "error"}
	kindWords   = map[int]string{0: "unspecified", 1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
)

func (o *outcome) read(line []byte, zero float64) error {
	var data exported
	if err := json.Unmarshal(line, &data); err != nil {
		return err
	}
	for _, rs := range data.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, raw := range ss.Spans {
				if err := o.addSpan(raw, string(rs.Resource)+string(ss.Scope), zero); err != nil {
					return err
				}
			}
		}
	}
	for _, rl := range data.ResourceLogs {
		for _, sl := range rl.ScopeLogs {
			for _, r := range sl.LogRecords {
				rec := codingRecord{event: r.EventName, time: since(r.TimeUnixNano, zero), attrs: r.Attributes.values()}
				if rec.event == "" {
					rec.event, _ = rec.attrs["event.name"].(string)
				}
				if rec.event == "" {
					rec.event, _ = plainValue(r.Body).(string)
				}
				o.logs = append(o.logs, rec)
			}
		}
	}
	return nil
}

func since(nanos string, zero float64) float64 {
	n, _ := strconv.ParseInt(nanos, 10, 64)
	return float64(n-int64(zero)*1e6) / 1e6
}

func (o *outcome) addSpan(raw json.RawMessage, around string, zero float64) error {
	var s struct {
		TraceID, SpanID, ParentSpanID, Name string
		StartTimeUnixNano, EndTimeUnixNano  string
		Kind                                int
		Status                              struct{ Code int }
		Attributes                          attributeList
		Links                               []struct{ TraceID string }
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	own := o.spans[s.TraceID+s.SpanID]
	start, end := since(s.StartTimeUnixNano, zero), since(s.EndTimeUnixNano, zero)
	if own == nil {
		own = &codingSpan{trace: s.TraceID, id: s.SpanID, start: start, end: end, attrs: map[string]any{}}
		o.spans[s.TraceID+s.SpanID] = own
	}
	own.parent, own.name, own.kind = s.ParentSpanID, s.Name, kindWords[s.Kind]
	own.status = statusWords[s.Status.Code]
	own.start, own.end = min(own.start, start), max(own.end, end)
	for k, v := range s.Attributes.values() {
		own.attrs[k] = v
	}
	for _, l := range s.Links {
		own.links = append(own.links, l.TraceID)
	}
	own.text += string(raw) + around
	return nil
}
