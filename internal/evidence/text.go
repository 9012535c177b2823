package evidence

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// TextOptions says how WriteText may draw.
type TextOptions struct {
	Color bool // ANSI colours
	Width int  // columns of the terminal; 0 means 100, the least is 60
}

// WriteText writes the review of a run for people: first what is claimed, what
// the evidence supports and the first wrong step, then the timeline over all
// traces, then the details. Text that comes from telemetry cannot move the
// cursor, change colours or turn the direction of writing. r must be the report
// of the same run.
func WriteText(w io.Writer, run Run, r Report, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 100
	}
	o.Width = max(o.Width, 60)
	out := bufio.NewWriter(w)
	t := &text{w: out, color: o.Color, width: o.Width, x: newIndex(run), r: &r}
	t.header()
	t.finding()
	t.timeline()
	t.effects()
	t.decisions()
	t.controls()
	t.verdicts()
	t.boundaries()
	t.claims()
	t.questions()
	return out.Flush()
}

type text struct {
	w     *bufio.Writer
	color bool
	width int
	x     *index
	r     *Report
}

// header: what it is, what is claimed, what the evidence supports.
func (t *text) header() {
	s := t.x.summary()
	t.line(bold(t.r.TaskID), plain("  "+s.Name))
	about := fmt.Sprintf("%s to %s, %s", rfc3339(s.Start), rfc3339(s.End), lasted(s.Start, s.End))
	if t.r.TaskID != t.r.RootTaskID {
		about = "part of " + t.r.RootTaskID + ", " + about
	}
	if s.Tenant != "" {
		about = "tenant " + s.Tenant + ", " + about
	}
	t.line(dim(fmt.Sprintf("  %s; %s, %s, %d in error", about, count(len(t.r.Traces), "trace"), count(s.Spans, "step"), s.Errors)))
	state, why := t.x.supported()
	t.field("claimed", t.claimed(s.Outcome)...)
	style := good
	switch state {
	case semconv.AppOutcomeFailed:
		style = bad
	case semconv.AppOutcomeUnknown:
		style = odd
	}
	t.field("evidence", style(state), plain(": "+why))
	if gone := t.x.absent().words(); len(gone) > 0 {
		t.field("not whole", odd(strings.Join(gone, "; ")))
	}
	if len(t.r.Keep.Classes) > 0 {
		t.field("kept as", plain(strings.Join(t.r.Keep.Classes, ", ")))
	}
}

func (t *text) claimed(outcome string) []seg {
	switch outcome {
	case "":
		return []seg{odd("nothing")}
	case OutcomeRunning:
		return []seg{odd(outcome), plain(": " + t.x.unrest() + " (said by this collector)")}
	}
	c := t.x.latest[t.x.root]
	out := []seg{bold(c.State), plain(" by " + c.By)}
	if len(c.Basis) > 0 {
		out = append(out, plain("; rests on "+strings.Join(c.Basis, ", ")))
	}
	if len(c.Missing) > 0 {
		out = append(out, plain("; not checked: "+strings.Join(c.Missing, ", ")))
	}
	return out
}

// finding: the first wrong step, or why none can be named.
func (t *text) finding() {
	a := &t.r.Attribution
	t.blank()
	switch a.Result {
	case ResultStep:
		t.line(bad("FIRST WRONG STEP"), plain(" ("+a.Strength+")"))
		n := t.x.stepOf(a)
		if n == nil {
			return
		}
		t.field("step", bold(n.span.Name), plain("  "+at(n.span.Start-t.x.start)+", took "+lasted(n.span.Start, n.span.End)))
		t.field("where", plain(where(a)))
		for _, why := range t.x.because(a) {
			t.field("because", plain(why))
		}
		t.field("proof", plain(refs(a.Evidence)))
		t.missing(a.Missing)
	case ResultUnknown:
		t.line(odd("FIRST WRONG STEP NOT KNOWN"))
		for _, g := range t.x.gaps(t.x.suspects()) {
			t.field("because", plain(g.why+shown(g.ref)))
		}
		t.missing(a.Missing)
	default:
		clean, limits := t.x.clean(t.r)
		if clean {
			t.line(good("CLEAN"), plain(": "+cleanWords))
		} else {
			t.line(odd("NO WRONG STEP FOUND"), plain(": "+noStepWords))
		}
		for _, l := range limits {
			t.field("but", plain(l))
		}
		if len(a.Evidence) > 0 {
			t.field("accepted", plain(refs(a.Evidence)))
		}
	}
}

func (t *text) missing(keys []string) {
	if len(keys) > 0 {
		t.field("missing", plain(strings.Join(keys, ", ")))
	}
}

func where(a *Attribution) string {
	parts := []string{"layer " + a.Layer, "class " + a.Class, "task " + a.TaskID}
	if a.Agent != "" {
		parts = slices.Insert(parts, 0, "agent "+a.Agent)
	}
	return strings.Join(parts, ", ")
}

func refs(list []EvidenceRef) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Kind+" "+shortStep(e.ID))
	}
	return strings.Join(out, "; ")
}

func shown(ref EvidenceRef) string {
	if ref.ID == "" {
		return ""
	}
	return ": " + ref.Kind + " " + shortStep(ref.ID)
}

func (x *index) stepOf(a *Attribution) *node {
	for _, n := range x.nodes {
		if n.span.ID.Span.String() == a.SpanID && n.span.ID.Trace.String() == a.TraceID {
			return n
		}
	}
	return nil
}

// because says in words why a step is accused.
func (x *index) because(a *Attribution) []string {
	n := x.stepOf(a)
	c := x.suspects().byStep[n]
	if c == nil {
		return nil
	}
	var out []string
	for _, b := range c.breaches {
		out = append(out, breachWords(b))
	}
	for _, p := range c.controls {
		out = append(out, fmt.Sprintf("%s %s was %s by %s", p.Kind, p.ID, p.Phase, p.Layer))
	}
	for _, v := range c.verdicts {
		why := v.Verifier + " " + v.Version + " fails it"
		if v.denies {
			why += " although completed is claimed"
		}
		if v.disagree {
			why += "; another verifier passes it"
		}
		out = append(out, why)
	}
	for _, e := range c.effects {
		if e.state == EffectUnknown {
			out = append(out, "its effect "+e.id+" may have happened: sent, no receipt")
		} else {
			out = append(out, "its effect "+e.id+" failed, nothing mended it, and completed is claimed")
		}
	}
	if c.reasons == failedStep {
		out = append(out, "it failed"+errorWord(n)+", nothing below it did, and what stands above it failed too")
	}
	return out
}

func errorWord(n *node) string {
	if e := n.span.Attrs.Str(semconv.ErrorType); e != "" {
		return " (" + e + ")"
	}
	return ""
}

func breachWords(b breach) string {
	switch b.rule {
	case ruleBypass:
		return "it ran although " + b.decision.DecidedBy + " said " + b.decision.Verdict
	case ruleUnanswered:
		return "it ran although nobody answered the question of " + b.decision.DecidedBy
	case ruleTarget:
		return "it acted on something outside the resource of its authority"
	case ruleGuard:
		return "it ran although its guard failed"
	case ruleDelegation:
		return "it was given more authority than its parent has"
	}
	return "it used authority that had expired"
}
