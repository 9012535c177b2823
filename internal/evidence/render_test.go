package evidence

import (
	"fmt"
	"sort"
	"strings"
)

// render writes a report in lines that are short enough to be reviewed, with
// the names of the case in place of ids.
func render(r Report, names map[string]string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	step := func(trace, span string) string {
		if span == "" {
			return "-"
		}
		return trace + "/" + span
	}
	a := r.Attribution
	switch a.Result {
	case ResultStep:
		line("step %s agent=%s layer=%s class=%s strength=%s task=%s", step(a.TraceID, a.SpanID), a.Agent, a.Layer, a.Class, a.Strength, a.TaskID)
	default:
		line("%s strength=%s", a.Result, a.Strength)
	}
	for _, e := range a.Evidence {
		line("  by %s %s", e.Kind, e.ID)
	}
	if len(a.Missing) > 0 {
		line("  missing %s", strings.Join(a.Missing, " "))
	}
	line("keep %s", strings.Join(r.Keep.Classes, " "))
	line("root %s tasks %s", r.RootTaskID, strings.Join(r.Tasks, " "))
	for _, c := range r.Claims {
		line("claim %s %s by %s %s", c.TaskID, c.State, c.ClaimedBy, strings.Join(c.Basis, ","))
	}
	for _, e := range r.Effects {
		line("effect %s %s target=%s class=%s task=%s", e.EffectID, e.State, e.Target, e.Class, e.TaskID)
		for _, t := range e.Attempts {
			line("  try %d %s [%s] %s", t.Attempt, t.Relation, strings.Join(t.Stages, " "), step(t.TraceID, t.SpanID))
		}
	}
	for _, d := range r.Decisions {
		bypass := ""
		if d.Bypass {
			bypass = " BYPASS"
		}
		line("decision %s %s by=%s policy=%s enforced=%s %s%s", d.DecisionID, d.Verdict, d.DecidedBy, d.PolicyID, d.Enforced, step(d.TraceID, d.SpanID), bypass)
	}
	for _, c := range r.Controls {
		var path []string
		for _, p := range c.Path {
			path = append(path, p.Layer+":"+p.Phase)
		}
		line("control %s %s %s stopped=%s ignored=%s", c.ControlID, c.Kind, strings.Join(path, " "), c.StoppedAt, c.IgnoredBy)
	}
	for _, v := range r.Verdicts {
		flags := ""
		if v.Disagrees {
			flags += " DISAGREES"
		}
		if v.Score != nil {
			flags += fmt.Sprintf(" score=%g", *v.Score)
		}
		if !v.Comparable {
			flags += " not comparable: " + strings.Join(v.Missing, " ")
		}
		line("verdict %s@%s %s on %s %s%s", v.Verifier, v.Version, v.Verdict, v.SubjectKind, v.SubjectID, flags)
	}
	for _, p := range r.Boundaries {
		line("boundary %s %s version=%s errors=%d %s", p.Layer, p.Peer, p.Version, p.Errors, step(p.TraceID, p.SpanID))
	}
	for _, l := range r.Links {
		line("link %s %s %s", step(l.From.TraceID, l.From.SpanID), l.Relation, step(l.To.TraceID, l.To.SpanID))
	}
	var q []string
	for _, x := range r.Questions {
		q = append(q, fmt.Sprintf("%d:%c", x.N, x.Status[0]))
	}
	line("questions %s", strings.Join(q, " "))
	return named(b.String(), names)
}

// named puts the longest ids first, so that a step is replaced before its parts.
func named(s string, names map[string]string) string {
	ids := make([]string, 0, len(names))
	for id := range names {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool {
		if len(ids[i]) != len(ids[j]) {
			return len(ids[i]) > len(ids[j])
		}
		return ids[i] < ids[j]
	})
	for _, id := range ids {
		s = strings.ReplaceAll(s, id, names[id])
	}
	return s
}
