package evidence

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A case is a run in a compact form, one statement a line, nested by
// indentation:
//
//	trace A
//	  0..100 error invoke_agent coder id=root task=t1
//	    10..90 error execute_tool deploy effect=e1 stage=dispatched
//	      ! 90 app.effect.recorded stage=receipt     a record in this context
//	      * 80 app.control.changed control=c1        an event of the span
//	      -> retries B/s1                            a link
//	records
//	  120 app.task.ended task=t1 outcome=completed   a record without context
//
// Times are milliseconds. Steps are named s1, s2, … in their trace unless id
// says otherwise; the word invoke_agent, execute_tool, chat or plan in front of
// the name sets the operation, the word after it the agent or tool. Keys are
// short (see shortKeys) or as they are in the registry.
var shortKeys = map[string]string{
	"task": "app.task.id", "parent_task": "app.task.parent.id", "root_task": "app.task.root.id", "phase": "app.task.phase",
	"goal": "app.task.goal.digest", "outcome": "app.outcome", "claimer": "app.claim.by", "basis": "app.claim.basis",
	"unchecked": "app.claim.missing", "op": "gen_ai.operation.name", "agent": "gen_ai.agent.name", "tool": "gen_ai.tool.name",
	"call": "gen_ai.tool.call.id", "error": "error.type", "layer": "app.error.layer", "mcp": "mcp.method.name",
	"class": "app.tool.effect_class", "effect": "app.effect.id", "stage": "app.effect.stage", "target": "app.effect.target",
	"key": "app.effect.idempotency_key", "digest": "app.effect.request.digest", "result": "app.effect.result.digest",
	"receipt": "app.effect.receipt.id", "attempt": "app.effect.attempt", "reported": "app.effect.reported_by",
	"decision": "app.permission.decision", "decision_id": "app.permission.decision.id", "decider": "app.permission.decided_by",
	"policy": "app.permission.policy.id", "policy_version": "app.permission.policy.version", "rule": "app.permission.rule.id",
	"enforced": "app.permission.enforced", "guardrail": "app.guardrail.outcome",
	"resource": "app.authority.resource", "operations": "app.authority.operations", "audience": "app.authority.audience",
	"expires": "app.authority.expires_at", "delegation": "app.authority.delegation.id", "actor": "app.authority.actor",
	"subject": "app.authority.subject", "delegated_by": "app.authority.delegation.parent.id",
	"control": "app.control.id", "control_kind": "app.control.kind", "control_layer": "app.control.layer", "control_phase": "app.control.phase",
	"protocol": "app.protocol.name", "negotiated": "app.protocol.version.negotiated", "remote_task": "app.external_task.id",
	"remote_state": "app.external_task.state", "artifact": "app.artifact.id", "hash": "app.artifact.hash", "role": "app.artifact.role",
	"ext": "app.extension.kind", "ext_decision": "app.extension.decision", "guard": "app.extension.guard", "fail_policy": "app.extension.fail_policy",
	"verifier": "app.verifier.name", "version": "app.verifier.version", "verdict": "app.verifier.verdict",
	"about": "app.verifier.subject.kind", "about_id": "app.verifier.subject.id", "metric": "gen_ai.evaluation.name",
	"label": "gen_ai.evaluation.score.label", "score": "gen_ai.evaluation.score.value", "catalog": "app.tool_catalog.hash",
	"context": "app.context.hash", "inferred": "app.mapping.inferred", "harness": "app.harness.version", "http": "http.response.status_code",
}

var caseStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

type parsed struct {
	run   Run
	names map[string]string // hex of a step or trace -> its name in the case
}

type caseParser struct {
	parsed
	trace   string
	records bool
	stack   []struct {
		indent int
		step   StepID
	}
	nextID int
}

func parseCase(input string) (p parsed, err error) {
	c := &caseParser{parsed: parsed{names: map[string]string{}}}
	for i, line := range strings.Split(input, "\n") {
		line, _, _ = strings.Cut(line, " #")
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if err := c.line(len(line)-len(strings.TrimLeft(line, " ")), text); err != nil {
			return c.parsed, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return c.parsed, nil
}

func (c *caseParser) line(indent int, text string) error {
	word, rest, _ := strings.Cut(text, " ")
	if indent == 0 {
		c.stack = c.stack[:0]
		switch word {
		case "tenant":
			c.run.Tenant = rest
		case "trace":
			c.trace, c.records, c.nextID = rest, false, 1
			c.names[traceOf(rest).String()] = rest
		case "records":
			c.records = true
		default:
			return fmt.Errorf("%q opens nothing", word)
		}
		return nil
	}
	switch {
	case c.records:
		return c.record(StepID{}, word, rest)
	case c.trace == "":
		return fmt.Errorf("no trace")
	}
	for len(c.stack) > 0 && c.stack[len(c.stack)-1].indent >= indent {
		c.stack = c.stack[:len(c.stack)-1]
	}
	switch word {
	case "!", "*", "->":
		if len(c.stack) == 0 {
			return fmt.Errorf("%q is below no step", word)
		}
		step := c.stack[len(c.stack)-1].step
		first, rest, _ := strings.Cut(rest, " ")
		switch word {
		case "!":
			return c.record(step, first, rest)
		case "*":
			return c.event(first, rest)
		}
		to, err := stepOf(rest)
		s := &c.run.Spans[len(c.run.Spans)-1]
		s.Links = append(s.Links, Link{To: to, Relation: first})
		return err
	}
	return c.span(indent, word, rest)
}

func (c *caseParser) span(indent int, times, rest string) error {
	start, end, ok := strings.Cut(times, "..")
	if !ok {
		return fmt.Errorf("%q is no time range", times)
	}
	s := Span{Tenant: c.run.Tenant, Status: StatusUnset, Kind: "internal", Service: "svc"}
	var err error
	if s.Start, err = caseTime(start); err != nil {
		return err
	}
	if s.End, err = caseTime(end); err != nil {
		return err
	}
	id := "s" + strconv.Itoa(c.nextID)
	words, attrs, err := fields(rest)
	if err != nil {
		return err
	}
	if len(words) > 0 && (words[0] == StatusError || words[0] == StatusOK) {
		s.Status, words = words[0], words[1:]
	}
	s.Name = strings.Join(words, " ")
	s.Attrs = attrs
	nameOperation(&s, words)
	if v := take(attrs, "id"); v != "" {
		id = v
	} else {
		c.nextID++
	}
	if v := take(attrs, "kind"); v != "" {
		s.Kind = v
	}
	if v := take(attrs, "tenant"); v != "" {
		s.Tenant = v
	}
	s.ID = StepID{traceOf(c.trace), spanOf(id)}
	if len(c.stack) > 0 {
		s.Parent = c.stack[len(c.stack)-1].step.Span
	}
	if v := take(attrs, "parent"); v != "" {
		s.Parent = spanOf(v)
		c.names[s.Parent.String()] = v
	}
	c.names[s.ID.String()] = c.trace + "/" + id
	c.names[s.ID.Span.String()] = id
	c.stack = append(c.stack, struct {
		indent int
		step   StepID
	}{indent, s.ID})
	c.run.Spans = append(c.run.Spans, s)
	return nil
}

func nameOperation(s *Span, words []string) {
	if len(words) == 0 {
		return
	}
	set := func(k, v string) {
		if _, ok := s.Attrs[k]; !ok {
			s.Attrs[k] = v
		}
	}
	switch words[0] {
	case "invoke_agent", "execute_tool", "chat", "plan":
		set(semconv.GenAIOperationName, words[0])
		if len(words) > 1 {
			if key := map[string]string{"invoke_agent": semconv.GenAIAgentName, "execute_tool": semconv.GenAIToolName}[words[0]]; key != "" {
				set(key, words[1])
			}
		}
	}
}

func (c *caseParser) record(step StepID, at, rest string) error {
	t, err := caseTime(at)
	if err != nil {
		return err
	}
	words, attrs, err := fields(rest)
	if err != nil {
		return err
	}
	r := Record{Tenant: c.run.Tenant, Step: step, Time: t, Attrs: attrs, Event: strings.Join(words, " ")}
	if v := take(attrs, "tenant"); v != "" {
		r.Tenant = v
	}
	if v := take(attrs, "in"); v != "" {
		if r.Step, err = stepOf(v); err != nil {
			return err
		}
	}
	r.ID = RecordID(digest16(fmt.Sprintf("%v|%s|%d|%#v", r.Step, r.Event, r.Time, r.Attrs)))
	c.run.Records = append(c.run.Records, r)
	return nil
}

func (c *caseParser) event(at, rest string) error {
	t, err := caseTime(at)
	if err != nil {
		return err
	}
	words, attrs, err := fields(rest)
	s := &c.run.Spans[len(c.run.Spans)-1]
	s.Events = append(s.Events, SpanEvent{Time: t, Name: strings.Join(words, " "), Attrs: attrs})
	return err
}

func take(a Attrs, key string) string {
	s := a.Str(key)
	delete(a, key)
	return s
}

func caseTime(s string) (int64, error) {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(ms) || math.Abs(ms) > 1e10 {
		return 0, fmt.Errorf("%q is no time", s)
	}
	return caseStart + int64(ms*1e6), nil
}

// fields splits words, which come first, from key=value.
func fields(s string) (words []string, attrs Attrs, err error) {
	attrs = Attrs{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexByte(s, ' ')
		if q := strings.IndexByte(s, '"'); q >= 0 && (end < 0 || q < end) {
			close := strings.IndexByte(s[q+1:], '"')
			if close < 0 {
				return nil, nil, fmt.Errorf("a quote is not closed")
			}
			if end = q + close + 2; end < len(s) && s[end] != ' ' {
				return nil, nil, fmt.Errorf("text follows a quote")
			}
		}
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			words = append(words, strings.Trim(word, `"`))
			continue
		}
		if long := shortKeys[key]; long != "" {
			key = long
		}
		value = strings.Trim(value, `"`)
		if attrs[key], err = typed(key, value); err != nil {
			return nil, nil, err
		}
	}
	return words, attrs, nil
}

var keyTypes = func() map[string]string {
	m := map[string]string{semconv.GenAIEvaluationScoreValue: "double", semconv.HTTPResponseStatusCode: "int", semconv.ServerPort: "int"}
	for _, g := range semconv.App().Groups {
		for _, a := range g.Attributes {
			m[a.Key] = a.Type
		}
	}
	return m
}()

func typed(key, value string) (any, error) {
	switch keyTypes[key] {
	case "int":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is no integer", key)
		}
		return n, nil
	case "double":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is no number", key)
		}
		return f, nil
	case "boolean":
		return value == "true", nil
	case "string[]":
		out := []any{}
		for _, v := range strings.Split(value, ",") {
			out = append(out, v)
		}
		return out, nil
	}
	return value, nil
}

func digest16(s string) (id [16]byte) {
	copy(id[:], derive("", s)[1:])
	return id
}

func traceOf(name string) (t TraceID) {
	copy(t[:], name)
	return t
}

func spanOf(name string) (s SpanID) {
	copy(s[:], name)
	return s
}

func stepOf(s string) (StepID, error) {
	trace, span, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok || trace == "" || span == "" {
		return StepID{}, fmt.Errorf("%q is no step", s)
	}
	return StepID{traceOf(trace), spanOf(span)}, nil
}
