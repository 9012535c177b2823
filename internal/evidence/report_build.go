package evidence

import (
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// NewReport answers everything about a run. asked is the task that the reader
// asked for; "" or a task that is not in the run means the root task.
func NewReport(run Run, asked TaskID) Report { return newIndex(run).report(asked) }

func (x *index) report(asked TaskID) Report {
	r := Report{
		Tenant:      x.tenant,
		TaskID:      string(x.root),
		RootTaskID:  string(x.root),
		Tasks:       []string{},
		Traces:      x.traces(),
		Keep:        x.keepReport(),
		Claims:      x.claimReports(),
		Attribution: x.attribute(),
		Effects:     x.effectReports(),
		Decisions:   x.decisionEntries(),
		Controls:    x.controlReports(),
		Verdicts:    x.verdictEntries(),
		Boundaries:  x.boundaryEntries(),
		Links:       x.linkEntries(),
	}
	for _, t := range x.tasks {
		r.Tasks = append(r.Tasks, string(t))
		if t == asked {
			r.TaskID = string(t)
		}
	}
	answers := x.answer()
	r.Questions = answers[:]
	return r
}

// rfc3339 writes Unix nanoseconds; 0 is no time.
func rfc3339(t int64) string {
	if t == 0 {
		return ""
	}
	return time.Unix(0, t).UTC().Format(time.RFC3339Nano)
}

// list is never null in JSON.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (x *index) traces() []string {
	seen := map[TraceID]bool{}
	out := []string{}
	add := func(t TraceID) {
		if t != (TraceID{}) && !seen[t] {
			seen[t] = true
			out = append(out, t.String())
		}
	}
	for _, n := range x.nodes {
		add(n.span.ID.Trace)
	}
	for _, r := range x.records {
		add(r.Step.Trace)
	}
	return out
}

func (x *index) keepReport() KeepReport {
	k := KeepReport{Classes: []string{}}
	for _, h := range x.classify() {
		if !slices.Contains(k.Classes, h.Class) {
			k.Classes = append(k.Classes, h.Class)
		}
	}
	if len(k.Classes) > 0 {
		k.Class = k.Classes[0]
	}
	return k
}

// collector names this program where it asserts something by itself.
const collector = "collector"

func (x *index) claimReports() []ClaimReport {
	out := []ClaimReport{}
	for _, c := range x.claims {
		rule := "stated"
		if c.By == "agent" {
			rule = "self-report"
		}
		out = append(out, ClaimReport{
			TaskID: string(c.Task), State: c.State, ClaimedBy: c.By, Rule: rule,
			Basis: list(c.Basis), Missing: list(c.Missing), Time: rfc3339(c.Time),
		})
	}
	if why := x.unrest(); why != "" {
		out = append(out, ClaimReport{
			TaskID: string(x.root), State: OutcomeRunning, ClaimedBy: collector, Rule: "not-at-rest", RuleVersion: "1",
			Basis: []string{why}, Missing: []string{semconv.AppOutcome}, Time: rfc3339(x.end),
		})
	}
	return out
}

func (x *index) effectReports() []EffectReport {
	out := make([]EffectReport, 0, len(x.effects))
	for _, e := range x.effects {
		r := EffectReport{
			EffectID: e.id, TaskID: string(e.task), State: e.state, Target: e.target, Class: e.class,
			Attempts: make([]AttemptReport, 0, len(e.tries)),
		}
		for _, t := range e.tries {
			a := AttemptReport{Attempt: int(t.number), Relation: t.relation, Stages: []string{}}
			for _, s := range t.said {
				if s.Stage != "" && !slices.Contains(a.Stages, s.Stage) {
					a.Stages = append(a.Stages, s.Stage)
				}
			}
			if t.owner != nil {
				a.TraceID, a.SpanID = t.owner.span.ID.Trace.String(), t.owner.span.ID.Span.String()
			}
			r.Attempts = append(r.Attempts, a)
		}
		out = append(out, r)
	}
	return out
}

func (x *index) decisionEntries() []DecisionEntry {
	out := make([]DecisionEntry, 0, len(x.decisions))
	for _, d := range x.decisions {
		step := d.Step
		if len(d.calls) == 1 {
			step = d.calls[0].span.ID
		}
		if d.bypass != nil {
			step = d.bypass.span.ID
		}
		out = append(out, DecisionEntry{
			DecisionID: d.ID, TaskID: string(d.Task), Verdict: d.Verdict, DecidedBy: d.DecidedBy,
			PolicyID: d.PolicyID, PolicyVersion: d.PolicyVersion, RuleID: d.RuleID, Enforced: d.Enforced,
			Bypass:  d.bypass != nil || x.bypassElsewhere(d),
			TraceID: step.Trace.String(), SpanID: step.Span.String(),
		})
	}
	return out
}

// bypassElsewhere reports a denial that is stated to have run in a step that is
// not in the run.
func (x *index) bypassElsewhere(d *decision) bool {
	return slices.ContainsFunc(x.breaches, func(b breach) bool { return b.decision == d && b.rule == ruleBypass })
}

func (x *index) controlReports() []ControlReport {
	out := make([]ControlReport, 0, len(x.controls))
	for _, c := range x.controls {
		r := ControlReport{ControlID: c.id, Kind: c.kind, Path: []ControlStep{}, StoppedAt: c.stopped, IgnoredBy: c.ignored}
		for _, p := range c.path {
			r.Path = append(r.Path, ControlStep{Layer: p.Layer, Phase: p.Phase, Time: rfc3339(p.Time)})
		}
		out = append(out, r)
	}
	return out
}

func (x *index) verdictEntries() []VerdictEntry {
	out := make([]VerdictEntry, 0, len(x.verdicts))
	for _, v := range x.verdicts {
		out = append(out, VerdictEntry{
			SubjectKind: v.SubjectKind, SubjectID: v.SubjectID, Verifier: v.Verifier, Version: v.Version, Kind: v.Kind,
			Verdict: v.Verdict.Verdict, Score: v.Score, Comparable: v.Comparable, Missing: list(v.Missing),
			Disagrees: v.disagree || v.denies || v.clash,
		})
	}
	return out
}

// boundaryEntries has one entry for each peer and version, at the first failed
// crossing, else at the first one.
func (x *index) boundaryEntries() []BoundaryEntry {
	type peer struct{ layer, peer, version string }
	at := map[peer]int{}
	out := []BoundaryEntry{}
	for _, p := range x.protocols {
		k := peer{p.Name, p.Peer, p.Negotiated}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, BoundaryEntry{Layer: p.Name, Peer: p.Peer, Version: p.Negotiated})
		}
		if !ok || p.Failed && out[i].Errors == 0 {
			out[i].TraceID, out[i].SpanID = p.Step.Trace.String(), p.Step.Span.String()
		}
		if p.Failed {
			out[i].Errors++
		}
	}
	return out
}

func (x *index) linkEntries() []LinkEntry {
	out := []LinkEntry{}
	for _, n := range x.nodes {
		links := slices.Clone(n.span.Links)
		slices.SortStableFunc(links, func(a, b Link) int {
			if c := compareSteps(a.To, b.To); c != 0 {
				return c
			}
			return compareStrings(a.Relation, b.Relation)
		})
		for _, l := range links {
			relation := l.Relation
			if relation == "" {
				relation = semconv.AppLinkRelationRelated
			}
			e := LinkEntry{
				From:     LinkEnd{n.span.ID.Trace.String(), n.span.ID.Span.String()},
				To:       LinkEnd{l.To.Trace.String(), l.To.Span.String()},
				Relation: relation,
			}
			if len(out) == 0 || out[len(out)-1] != e {
				out = append(out, e)
			}
		}
	}
	return out
}
