package evidence

import (
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// most is the number of rows of a section; the JSON report has all.
const most = 15

// mostTries is the number of tries shown of one effect.
const mostTries = 5

// graver puts what matters in front of a list that is too long to be shown whole.
func graver[T any](list []T, matters func(T) bool) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, 0, len(list))
	for _, want := range []bool{true, false} {
		for _, e := range list {
			if matters(e) == want {
				out = append(out, e)
			}
		}
	}
	return out
}

func (t *text) rest(n int) {
	if n > most {
		t.line(dim(fmt.Sprintf("  %d more in the JSON report", n-most)))
	}
}

func stateStyle(state string) func(string) seg {
	switch state {
	case EffectConfirmed, EffectCompensated, semconv.AppVerifierVerdictPass, semconv.AppPermissionDecisionAllow, Answered:
		return good
	case EffectUnknown, EffectReported, Partly, semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAbort:
		return odd
	case EffectFailed, semconv.AppVerifierVerdictFail, Missing:
		return bad
	}
	return plain
}

func (t *text) effects() {
	if len(t.r.Effects) == 0 {
		return
	}
	t.title("EFFECTS  computed from stages, not taken on trust")
	tools := map[string]string{}
	for _, e := range t.x.effects {
		tools[e.id] = e.tool
	}
	for i, e := range graver(t.r.Effects, func(e EffectReport) bool { return e.State == EffectUnknown || e.State == EffectFailed }) {
		if i == most {
			break
		}
		t.line(plain("  "), stateStyle(e.State)(fmt.Sprintf("%-11s", e.State)), plain(" "+e.EffectID),
			dim(fill2("  by ", tools[e.EffectID])+fill2("  on ", e.Target)+fill2("  class ", e.Class)))
		if len(t.r.Effects) > most && (e.State == EffectConfirmed || e.State == EffectReported) {
			continue
		}
		for j, a := range e.Attempts {
			if j == mostTries && len(e.Attempts) > mostTries+1 {
				t.line(dim(fmt.Sprintf("    %d more tries", len(e.Attempts)-mostTries)))
				break
			}
			if len(e.Attempts) == 1 && len(a.Stages) == 0 && a.Relation == RelationFirst {
				continue
			}
			stages := strings.Join(a.Stages, " → ")
			if stages == "" {
				stages = "no stage stated"
			}
			note := ""
			switch a.Relation {
			case RelationSameRequest:
				note = "  retry of the same request, not proved to be the same effect"
			case RelationSameEffect:
				note = "  retry of the same effect"
			case RelationNewEffect:
				note = "  a new effect, not a proved retry"
			}
			t.line(dim(fmt.Sprintf("    try %-3d ", a.Attempt)), plain(stages), odd(note))
		}
	}
	t.rest(len(t.r.Effects))
}

func fill2(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func (t *text) decisions() {
	if len(t.r.Decisions) == 0 {
		return
	}
	t.title("DECISIONS")
	about := map[string]string{}
	for _, d := range t.x.decisions {
		if n := d.subject(); n != nil {
			about[d.ID] = n.span.Name
		}
	}
	for i, d := range graver(t.r.Decisions, func(d DecisionEntry) bool { return d.Bypass || d.Verdict != semconv.AppPermissionDecisionAllow }) {
		if i == most {
			break
		}
		policy := fill2("  policy ", strings.Trim(d.PolicyID+"@"+d.PolicyVersion, "@")) + fill2("  rule ", d.RuleID)
		row := []seg{plain("  "), stateStyle(d.Verdict)(fmt.Sprintf("%-7s", d.Verdict)), plain(fill2(" ", about[d.DecisionID]) + fill2("  by ", d.DecidedBy) + policy)}
		if d.Enforced != "" {
			row = append(row, dim("  "+d.Enforced))
		}
		if d.Bypass {
			row = append(row, bad("  BYPASSED: it ran"))
		}
		t.line(append(row, dim("  "+d.DecisionID))...)
	}
	t.rest(len(t.r.Decisions))
}

func (t *text) controls() {
	if len(t.r.Controls) == 0 {
		return
	}
	t.title("CONTROLS")
	for i, c := range t.r.Controls {
		if i == most {
			break
		}
		var path []string
		for _, p := range c.Path {
			path = append(path, p.Layer+" "+p.Phase)
		}
		row := []seg{plain("  " + c.Kind + "  " + strings.Join(path, " → "))}
		if c.StoppedAt != "" {
			row = append(row, good("  stopped at "+c.StoppedAt))
		}
		if c.IgnoredBy != "" {
			row = append(row, bad("  not obeyed by "+c.IgnoredBy))
		}
		if c.StoppedAt == "" && c.IgnoredBy == "" {
			row = append(row, odd("  end not seen"))
		}
		t.line(row...)
	}
	t.rest(len(t.r.Controls))
}

func (t *text) verdicts() {
	if len(t.r.Verdicts) == 0 {
		return
	}
	t.title("VERDICTS")
	for i, v := range graver(t.r.Verdicts, func(v VerdictEntry) bool { return v.Disagrees || v.Verdict != semconv.AppVerifierVerdictPass }) {
		if i == most {
			break
		}
		row := []seg{plain("  "), stateStyle(v.Verdict)(fmt.Sprintf("%-8s", v.Verdict)),
			plain(strings.Trim(v.Verifier+"@"+v.Version, "@")), dim(fill2(" ", v.Kind))}
		subject := v.SubjectKind + fill2(" ", shortStep(v.SubjectID))
		row = append(row, plain(fill2("  on ", strings.TrimSpace(subject))))
		if v.Score != nil {
			row = append(row, plain(fmt.Sprintf("  score %g", *v.Score)))
		}
		if v.Disagrees {
			row = append(row, bad("  CONTRADICTED"))
		}
		if !v.Comparable {
			row = append(row, dim("  not comparable"))
		}
		t.line(row...)
	}
	t.rest(len(t.r.Verdicts))
}

func shortStep(id string) string {
	if s, ok := parseStep(id); ok && s.Trace != (TraceID{}) {
		return short(s.Trace.String()) + "/" + short(s.Span.String())
	}
	return id
}

func (t *text) boundaries() {
	if len(t.r.Boundaries) == 0 {
		return
	}
	t.title("BOUNDARIES")
	for i, b := range t.r.Boundaries {
		if i == most {
			break
		}
		version := plain("  version " + b.Version)
		if b.Version == "" {
			version = odd("  version not stated")
		}
		row := []seg{plain(fmt.Sprintf("  %-5s", b.Layer) + b.Peer), version}
		if b.Errors > 0 {
			row = append(row, bad("  "+count(b.Errors, "error")))
		}
		t.line(row...)
	}
	t.rest(len(t.r.Boundaries))
}

func (t *text) claims() {
	if len(t.r.Claims) == 0 {
		return
	}
	t.title("CLAIMS  what someone says, not evidence")
	for i, c := range t.r.Claims {
		if i == most {
			break
		}
		t.line(plain(fmt.Sprintf("  %-10s", c.State)), plain(" for "+c.TaskID+" by "+c.ClaimedBy), dim("  "+c.Rule+"  "+c.Time))
	}
	t.rest(len(t.r.Claims))
}

func (t *text) questions() {
	done := 0
	for _, q := range t.r.Questions {
		if q.Status == Answered {
			done++
		}
	}
	t.title(fmt.Sprintf("TEN QUESTIONS  %d answered", done))
	for _, q := range t.r.Questions {
		row := []seg{plain(fmt.Sprintf("  %2d ", q.N)), stateStyle(q.Status)(fmt.Sprintf("%-9s", q.Status)),
			plain(QuestionText(q.N)), dim(fill2(": ", q.Answer))}
		t.line(row...)
		if q.Status != Answered && len(q.Missing) > 0 {
			t.line(dim("               needs " + strings.Join(q.Missing, ", ")))
		}
	}
}
