package evidence

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteMarkdown writes the review of a run for a ticket or a change request. All
// text that comes from telemetry stands in code spans, on one line and cut, so
// that it can be no heading, link, image, mention, table or HTML. r must be the
// report of the same run.
func WriteMarkdown(w io.Writer, run Run, r Report) error {
	out := bufio.NewWriter(w)
	m := &markdown{w: out, x: newIndex(run), r: &r}
	m.head()
	m.finding()
	m.table("Effects", []string{"state", "effect", "target", "class", "attempts"}, len(r.Effects), func(i int) []string {
		e := &r.Effects[i]
		var tries []string
		for _, a := range e.Attempts {
			tries = append(tries, fmt.Sprintf("%d %s: %s", a.Attempt, a.Relation, strings.Join(a.Stages, " → ")))
		}
		return []string{e.State, e.EffectID, e.Target, e.Class, strings.Join(tries, "; ")}
	})
	m.table("Decisions", []string{"verdict", "decided by", "policy", "rule", "enforced", "bypass"}, len(r.Decisions), func(i int) []string {
		d := &r.Decisions[i]
		return []string{d.Verdict, d.DecidedBy, strings.TrimSpace(d.PolicyID + " " + d.PolicyVersion), d.RuleID, d.Enforced, yesOrNothing(d.Bypass)}
	})
	m.table("Controls", []string{"kind", "path", "stopped at", "ignored by"}, len(r.Controls), func(i int) []string {
		c := &r.Controls[i]
		var path []string
		for _, p := range c.Path {
			path = append(path, p.Layer+" "+p.Phase)
		}
		return []string{c.Kind, strings.Join(path, " → "), c.StoppedAt, c.IgnoredBy}
	})
	m.table("Verdicts", []string{"verdict", "verifier", "version", "subject", "comparable", "disagrees"}, len(r.Verdicts), func(i int) []string {
		v := &r.Verdicts[i]
		return []string{v.Verdict, v.Verifier, v.Version, strings.TrimSpace(v.SubjectKind + " " + v.SubjectID), yesOrNothing(v.Comparable), yesOrNothing(v.Disagrees)}
	})
	m.table("Boundaries", []string{"layer", "peer", "version", "errors"}, len(r.Boundaries), func(i int) []string {
		b := &r.Boundaries[i]
		return []string{b.Layer, b.Peer, b.Version, strconv.Itoa(b.Errors)}
	})
	m.table("Claims", []string{"task", "state", "by", "rests on", "not checked", "time"}, len(r.Claims), func(i int) []string {
		c := &r.Claims[i]
		return []string{c.TaskID, c.State, c.ClaimedBy, strings.Join(c.Basis, ", "), strings.Join(c.Missing, ", "), c.Time}
	})
	m.table("Questions", []string{"n", "question", "status", "answer", "missing"}, len(r.Questions), func(i int) []string {
		q := &r.Questions[i]
		return []string{strconv.Itoa(q.N), QuestionText(q.N), q.Status, q.Answer, strings.Join(q.Missing, ", ")}
	})
	return out.Flush()
}

type markdown struct {
	w *bufio.Writer
	x *index
	r *Report
}

func (m *markdown) head() {
	s := m.x.summary()
	fmt.Fprintf(m.w, "# Task %s\n\n", CodeSpan(m.r.TaskID))
	m.item("run", m.r.RootTaskID+" "+s.Name)
	if s.Tenant != "" {
		m.item("tenant", s.Tenant)
	}
	m.item("time", fmt.Sprintf("%s to %s, %s; %s, %s, %d in error", rfc3339(s.Start), rfc3339(s.End), lasted(s.Start, s.End), count(len(m.r.Traces), "trace"), count(s.Spans, "step"), s.Errors))
	claimed := s.Outcome
	if claimed == "" {
		claimed = "nothing"
	}
	m.item("claimed", claimed)
	state, why := m.x.supported()
	m.item("evidence", state+": "+why)
	m.item("not whole", strings.Join(m.x.absent().words(), "; "))
	m.item("kept as", strings.Join(m.r.Keep.Classes, ", "))
	fmt.Fprintln(m.w)
}

func (m *markdown) item(name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(m.w, "- **%s** %s\n", name, CodeSpan(text))
	}
}

func (m *markdown) finding() {
	a := &m.r.Attribution
	switch a.Result {
	case ResultStep:
		fmt.Fprintf(m.w, "## First wrong step (%s)\n\n", a.Strength)
		if n := m.x.stepOf(a); n != nil {
			m.item("step", n.span.Name)
		}
		m.item("where", where(a))
		m.item("id", a.TraceID+"/"+a.SpanID)
		for _, why := range m.x.because(a) {
			m.item("because", why)
		}
		m.item("proof", refs(a.Evidence))
	case ResultUnknown:
		fmt.Fprint(m.w, "## First wrong step not known\n\n")
		for _, g := range m.x.gaps(m.x.suspects()) {
			m.item("because", g.why+shown(g.ref))
		}
	default:
		clean, limits := m.x.clean(m.r)
		if clean {
			fmt.Fprint(m.w, "## Clean\n\n")
		} else {
			fmt.Fprintf(m.w, "## No wrong step found, %s\n\n", noStepWords)
		}
		for _, l := range limits {
			m.item("but", l)
		}
		m.item("accepted", refs(a.Evidence))
	}
	m.item("missing", strings.Join(a.Missing, ", "))
	fmt.Fprintln(m.w)
}

func (m *markdown) table(title string, head []string, rows int, row func(i int) []string) {
	if rows == 0 {
		return
	}
	fmt.Fprintf(m.w, "## %s\n\n", title)
	WriteTable(m.w, head, min(rows, mostRows), row)
	if rows > mostRows {
		fmt.Fprintf(m.w, "\n%d more in the JSON report.\n", rows-mostRows)
	}
	fmt.Fprintln(m.w)
}

// mostRows is the number of rows of a table; the JSON report has all.
const mostRows = 50

// WriteTable writes a table of Markdown whose cells are code spans. A bar would
// end the cell before anything else is read, and a backslash of the text could
// undo its escape: it is written broken.
func WriteTable(w io.Writer, head []string, rows int, row func(i int) []string) {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for i := range rows {
		fmt.Fprint(w, "|")
		for _, c := range row(i) {
			fmt.Fprintf(w, " %s |", strings.ReplaceAll(CodeSpan(c), "|", "¦"))
		}
		fmt.Fprintln(w)
	}
}

// CodeSpan writes text so that Markdown shows it as it is: on one line, cut, and
// fenced by more backticks than it holds.
func CodeSpan(s string) string {
	s = strings.TrimSpace(harmless(s))
	if s == "" {
		return "–"
	}
	s = cut(s, 300)
	fence, run := 1, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		fence = max(fence, run+1)
	}
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return strings.Repeat("`", fence) + pad + s + pad + strings.Repeat("`", fence)
}

func yesOrNothing(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
