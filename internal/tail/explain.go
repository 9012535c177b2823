package tail

import (
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// Explanation is the decision on one run, rule by rule. Its lists are never nil.
type Explanation struct {
	Tenant    string         `json:"tenant"`
	Run       string         `json:"run"` // what the run is named by: root, task or trace, and its id
	Traces    []string       `json:"traces"`
	Spans     int            `json:"spans"`
	Records   int            `json:"records"`
	Lost      int            `json:"undecodable,omitempty"`
	Classes   []ClassReason  `json:"classes"`
	Rules     []RuleReason   `json:"rules"`
	Slow      SlowReason     `json:"slow"`
	Baseline  ShareReason    `json:"baseline"`
	Quota     QuotaReason    `json:"quota"`
	Folded    int            `json:"spans_folded"`
	Truncated int            `json:"spans_truncated"`
	Decision  DecisionReason `json:"decision"`
}

// ClassReason is one hit of a class.
type ClassReason struct {
	Class    string `json:"class"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence"` // trace id/span id; empty if only a record tells of it
	Hits     int    `json:"hits"`
	Needed   int    `json:"needed"`
	Protects bool   `json:"protects"`
}

// RuleReason is one rule of the policy.
type RuleReason struct {
	Name      string  `json:"name"`
	Keep      float64 `json:"keep"`
	Matches   bool    `json:"matches"`
	Span      string  `json:"span"`      // first one that matches
	Threshold float64 `json:"threshold"` // the run is kept by the rule if its number is not below
	Kept      bool    `json:"kept"`
}

// SlowReason is what timing says. Limits come from the runs before this one in the
// same replay; a collector knows more of them.
type SlowReason struct {
	On    bool         `json:"on"`
	Parts []PartReason `json:"parts"`
}

// PartReason is one span that the run is timed by.
type PartReason struct {
	Span      string  `json:"span"`
	Agent     string  `json:"agent"`
	Operation string  `json:"operation"`
	Seconds   float64 `json:"seconds"`
	Limit     float64 `json:"limit_seconds"` // 0 if too few were seen
	Slow      bool    `json:"slow"`
}

// ShareReason is how the run stands against a share.
type ShareReason struct {
	Share     float64 `json:"share"`     // of what was there before anyone sampled
	Upstream  float64 `json:"upstream"`  // share that was kept before
	Number    float64 `json:"number"`    // of the run, from 0 to 1
	Threshold float64 `json:"threshold"` // the run is kept if its number is not below
	Kept      bool    `json:"kept"`
}

// QuotaReason is what a quota would be asked for.
type QuotaReason struct {
	On     bool   `json:"on"`
	Tenant string `json:"tenant"`
	Exempt bool   `json:"exempt"`
	Spans  int    `json:"spans"`
	Bytes  int64  `json:"bytes"`
}

// DecisionReason is what comes of it all. No quota is exhausted in a replay.
type DecisionReason struct {
	Keep     bool   `json:"keep"`
	Class    string `json:"class"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence"`
	State    string `json:"tracestate"` // of the first span, as it goes out
}

// Explain replays recorded spans and records, as a policy is given them: mapped and
// redacted. Runs are told in order of their first span; what comes late in a
// collector is not late here.
func Explain(policy Policy, td ptrace.Traces, ld plog.Logs) ([]Explanation, error) {
	quotas := policy.Quotas != nil
	policy.Quotas = nil
	s := NewState(Settings{Policy: policy})
	defer s.Arena.Close()
	alloc := func(n int) (slab.Block, []byte) { b := s.Arena.Alloc(n); return b, s.Arena.Bytes(b) }
	batch, err := Encode(td)
	if err != nil {
		return nil, err
	}
	pieces, err := batch.Split(&policy, alloc)
	if err != nil {
		return nil, err
	}
	told, err := SplitRecords(ld)
	if err != nil {
		return nil, err
	}
	Place(told, alloc)
	for _, p := range slices.Concat(pieces, told) {
		s.arrive(&p, time.Time{})
	}
	hands := Hands{Policy: &policy, Arena: s.Arena}
	var runs []*explained
	for len(s.due) > 0 {
		j := s.take(s.due[0], AtShutdown)
		e := &explained{j: j, l: hands.load(j.pieces), versions: hands.gather(j.pieces).Traces}
		e.rows = evidence.Run{Tenant: j.tenant, Spans: evidence.FromTraces(e.l.Traces), Records: e.l.Records}
		runs = append(runs, e)
	}
	slices.SortStableFunc(runs, func(a, b *explained) int { return int(a.start() - b.start()) })
	out := []Explanation{}
	for _, e := range runs {
		out = append(out, e.explain(s, &hands, quotas))
	}
	return out, nil
}

type explained struct {
	j    *Job
	l    Load
	rows evidence.Run

	versions ptrace.Traces // of its spans, as they came: what rules are asked of
}

func (e *explained) start() (first int64) {
	for i := range e.rows.Spans {
		if s := e.rows.Spans[i].Start; first == 0 || s < first {
			first = s
		}
	}
	return first
}

func (e *explained) explain(s *State, h *Hands, quotas bool) Explanation {
	p := h.Policy
	hit, _ := protect(p, e.rows)
	v := s.final(e.j, hit, time.Time{})
	x := Explanation{
		Tenant: e.j.tenant, Run: e.j.digest.Names.Identity(), Traces: []string{}, Spans: len(e.rows.Spans), Records: len(e.rows.Records), Lost: e.l.Lost,
		Classes: e.classes(p), Rules: e.rules(p), Slow: e.slow(p), Baseline: e.against(p.Ratio),
		Quota: QuotaReason{On: quotas, Exempt: v.Protected(), Spans: e.j.spans, Bytes: e.j.data()},
	}
	if quotas {
		with := *p
		with.Quotas = NewQuotas(QuotaSettings{MaxTenants: 1})
		x.Quota.Tenant = with.payerOf(e.j.tenant, &e.j.digest)
	}
	for i := range e.rows.Spans {
		if id := e.rows.Spans[i].ID.Trace.String(); !slices.Contains(x.Traces, id) {
			x.Traces = append(x.Traces, id)
		}
	}
	s.learn(e.j, &v, time.Time{})
	x.Decision = DecisionReason{Keep: v.Keep, Class: v.Class, Rule: v.Rule, Evidence: placeOfStep(v.Evidence)}
	if v.Keep {
		done := finish(p, e.l.Traces, v.Decision, e.l.told(), false)
		x.Folded, x.Truncated = done.Folded, done.Truncated
		x.Decision.State = firstState(e.l.Traces)
	}
	return x
}

func firstState(td ptrace.Traces) string {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				return span.TraceState().AsRaw()
			}
		}
	}
	return ""
}

func (e *explained) classes(p *Policy) []ClassReason {
	out := []ClassReason{}
	for _, h := range evidence.Classify(e.rows) {
		needed := 1
		if !AlwaysProtected(h.Class) {
			needed = max(p.AtLeast[h.Class], 1)
		}
		out = append(out, ClassReason{h.Class, h.Rule, placeOfStep(h.Step), h.Count, needed, p.protects(&h)})
	}
	return out
}

// placeOfStep is empty for no step.
func placeOfStep(id evidence.StepID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

func (e *explained) rules(p *Policy) []RuleReason {
	out := []RuleReason{}
	for i := range p.Rules {
		share := e.against(p.Rules[i].Keep)
		r := RuleReason{Name: p.Rules[i].Name, Keep: share.Share, Threshold: share.Threshold, Kept: share.Kept}
		for _, rs := range e.versions.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !r.Matches && p.Rules[i].Match(rs, ss, span) {
						r.Matches, r.Span = true, idOf(span).String()
					}
				}
			}
		}
		out = append(out, r)
	}
	return out
}

func (e *explained) slow(p *Policy) SlowReason {
	out := SlowReason{On: p.Slow != nil, Parts: []PartReason{}}
	if p.Slow == nil {
		return out
	}
	for i := range e.rows.Spans {
		span := &e.rows.Spans[i]
		part, ok := partOfRow(e.rows.Tenant, span)
		if !ok {
			continue
		}
		r := PartReason{Span: span.ID.String(), Seconds: float64(part.Nanos) / 1e9, Slow: p.Slow.Slower([]Part{part})}
		r.Agent, r.Operation = agentOf(span)
		if limit, known := p.Slow.Limit(part.Kind); known {
			r.Limit = float64(limit) / 1e9
		}
		out.Parts = append(out.Parts, r)
	}
	return out
}

// against is how the run stands against a share, also if something else decides it.
func (e *explained) against(share float64) ShareReason {
	at := e.j.digest.Standing.stand(e.j.tenant, e.j.digest.Names.Identity())
	odds := at.draw(share, 1)
	const all = float64(places)
	width := float64(at.width) / all
	return ShareReason{
		Share: share, Upstream: width, Kept: odds.kept(),
		Number: 1 - width*float64(at.place)/all, Threshold: 1 - width*odds.share(),
	}
}

// Named is what a run is named by, in words.
func (x *Explanation) Named() string {
	kind, id, _ := strings.Cut(x.Run, " ")
	if kind == "root" {
		kind = "root task"
	}
	return strings.TrimSpace(kind + " " + id)
}
