package evidence

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Comparison puts two attempts side by side.
type Comparison struct {
	TaskID   string       `json:"task_id"`
	EffectID string       `json:"effect_id"` // "" where attempts at the task are compared
	Left     string       `json:"left"`
	Right    string       `json:"right"`
	Rows     []CompareRow `json:"rows"`
}

// CompareRow is one thing that can be the same or not.
type CompareRow struct {
	What  string `json:"what"`
	Left  string `json:"left"`
	Right string `json:"right"`
	Same  bool   `json:"same"`
}

// Compare puts two attempts of a run side by side. An attempt is a number, of the
// task; or an effect id, a colon and a number, of that effect. Attempts that
// state no number are counted by their start.
func Compare(run Run, task TaskID, left, right string) (Comparison, error) {
	x := newIndex(run)
	if !slices.Contains(x.tasks, task) {
		task = x.root
	}
	c := Comparison{TaskID: string(task), Left: left, Right: right, Rows: []CompareRow{}}
	le, ln, okL := attemptName(left)
	re, rn, okR := attemptName(right)
	switch {
	case !okL || !okR:
		return c, fmt.Errorf("an attempt is a number, or an effect id, a colon and a number")
	case left == right:
		return c, fmt.Errorf("both attempts are the same one; name two")
	case (le == "") != (re == ""):
		return c, fmt.Errorf("an attempt at a task cannot be compared with one at an effect")
	case le != "":
		l, err := x.tryNamed(le, ln)
		if err != nil {
			return c, err
		}
		r, err := x.tryNamed(re, rn)
		if err != nil {
			return c, err
		}
		if c.EffectID = le; le != re {
			c.EffectID = le + " " + re
		}
		c.tries(x, l, r)
		return c, nil
	}
	l, r := x.attempt(task, ln), x.attempt(task, rn)
	for _, side := range []struct {
		run Run
		n   int64
	}{{l, ln}, {r, rn}} {
		if len(side.run.Spans) == 0 {
			return c, fmt.Errorf("the task has no attempt %d; it has %s; attempts of an effect are EFFECT:1 EFFECT:2", side.n, x.attemptNumbers(task))
		}
	}
	c.attempts(l, r)
	return c, nil
}

// IsAttempt reports whether a word can name an attempt.
func IsAttempt(word string) bool {
	_, _, ok := attemptName(word)
	return ok
}

func attemptName(s string) (effect string, n int64, ok bool) {
	number := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		effect, number = s[:i], s[i+1:]
		if effect == "" {
			return "", 0, false
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return effect, n, err == nil && n > 0
}

func (x *index) tryNamed(effect string, n int64) (*try, error) {
	e := x.byEffect[effect]
	if e == nil {
		return nil, fmt.Errorf("the run has no such effect; the review lists them")
	}
	var have []string
	for _, t := range e.tries {
		if t.number == n {
			return t, nil
		}
		have = append(have, strconv.FormatInt(t.number, 10))
	}
	return nil, fmt.Errorf("the effect has no attempt %d; it has %s", n, strings.Join(have, ", "))
}

// attemptsOf gives every step of a task, and what was delegated by it, the number
// of its attempt.
func (x *index) attemptsOf(task TaskID) map[*node]int64 {
	stated := false
	for _, n := range x.nodes {
		stated = stated || n.task == task && attemptOf(n) > 0
	}
	at := map[*node]int64{}
	next := int64(1)
	for _, n := range x.nodes {
		switch {
		case n.task != task:
		case stated && attemptOf(n) > 0:
			at[n] = attemptOf(n)
		case !stated && n.isRoot() && !n.continuesAnother():
			at[n] = next
			next++
		}
	}
	known := map[*node]bool{}
	var of func(n *node, depth int) int64
	of = func(n *node, depth int) int64 {
		if n == nil || depth > len(x.nodes) {
			return 0
		}
		if at[n] != 0 || known[n] {
			return at[n]
		}
		known[n] = true
		a := of(n.parent, depth+1)
		for i := 0; a == 0 && i < len(n.to); i++ {
			if r := n.to[i].relation; r != semconv.AppLinkRelationRetries && r != semconv.AppLinkRelationFollows {
				a = of(n.to[i].step, depth+1)
			}
		}
		if a != 0 {
			at[n] = a
		}
		return a
	}
	for _, n := range x.nodes {
		of(n, 0)
	}
	return at
}

// continuesAnother reports whether a root goes on with work instead of beginning it.
func (n *node) continuesAnother() bool {
	return slices.ContainsFunc(n.to, func(e edge) bool {
		return e.relation != semconv.AppLinkRelationRetries && e.relation != semconv.AppLinkRelationFollows
	})
}

func (x *index) attempt(task TaskID, n int64) Run {
	run := Run{Tenant: x.tenant}
	for at, number := range x.attemptsOf(task) {
		if number != n {
			continue
		}
		run.Spans = append(run.Spans, *at.span)
		for _, r := range at.records {
			run.Records = append(run.Records, *r)
		}
	}
	return run
}

func (x *index) attemptNumbers(task TaskID) string {
	var all []int64
	for _, n := range x.attemptsOf(task) {
		all = append(all, n)
	}
	slices.Sort(all)
	return strings.Trim(fmt.Sprint(slices.Compact(all)), "[]")
}

func (c *Comparison) row(what, left, right string) {
	if left != "" || right != "" {
		c.Rows = append(c.Rows, CompareRow{what, left, right, left == right})
	}
}

// attempts compares two attempts at a task, each as a run of its own.
func (c *Comparison) attempts(left, right Run) {
	var said [2]map[string]string
	names := []string{"steps", "in error", "took", "claimed", "evidence supports", "first wrong step", "its layer and class", "agents", "tools called",
		"effects", "decisions", "verdicts", "goal", "harness version", "tool catalog", "context"}
	for i, run := range []Run{left, right} {
		x := newIndex(run)
		s := x.summary()
		a := x.attribute()
		m := map[string]string{"steps": strconv.Itoa(s.Spans), "in error": strconv.Itoa(s.Errors), "took": lasted(s.Start, s.End), "claimed": s.Outcome,
			"agents": strings.Join(s.Agents, ", "), "first wrong step": a.Result}
		state, why := x.supported()
		m["evidence supports"] = state + ": " + why
		if a.Result == ResultStep {
			m["first wrong step"] = x.name(a)
			m["its layer and class"] = a.Layer + ", " + a.Class
		}
		tools := map[string]int{}
		for _, n := range x.nodes {
			if n.isTool() {
				tools[n.str(semconv.GenAIToolName)]++
			}
		}
		m["tools called"] = tally(tools)
		states, verdicts, decisions := map[string]int{}, map[string]int{}, map[string]int{}
		for _, e := range x.effects {
			states[e.state]++
		}
		for _, v := range x.verdicts {
			verdicts[v.Verifier+" "+v.Version+" "+v.Verdict.Verdict]++
		}
		for _, d := range x.decisions {
			decisions[d.Verdict]++
		}
		m["effects"], m["verdicts"], m["decisions"] = tally(states), tally(verdicts), tally(decisions)
		for what, key := range map[string]string{"goal": semconv.AppTaskGoalDigest, "harness version": semconv.AppHarnessVersion,
			"tool catalog": semconv.AppToolCatalogHash, "context": semconv.AppContextHash} {
			m[what], _ = x.anywhere(key)
		}
		said[i] = m
	}
	for _, what := range names {
		c.row(what, said[0][what], said[1][what])
	}
}

func tally(m map[string]int) string {
	var out []string
	for name, n := range m {
		out = append(out, fmt.Sprintf("%d %s", n, name))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// tries compares two tries of an effect.
func (c *Comparison) tries(x *index, left, right *try) {
	of := func(what string, value func(t *try) string) { c.row(what, value(left), value(right)) }
	of("relation to the try before", func(t *try) string { return t.relation })
	of("outcome by itself", func(t *try) string { return t.outcome })
	of("stages", func(t *try) string {
		var out []string
		for _, s := range t.said {
			if s.Stage != "" && !slices.Contains(out, s.Stage) {
				out = append(out, s.Stage)
			}
		}
		return strings.Join(out, " → ")
	})
	of("idempotency key", func(t *try) string { return t.key })
	of("request digest", func(t *try) string { return t.request })
	stated := func(value func(s *said) string) func(t *try) string {
		return func(t *try) string {
			for i := range t.said {
				if v := value(&t.said[i]); v != "" {
					return v
				}
			}
			return ""
		}
	}
	of("result digest", stated(func(s *said) string { return s.ResultDigest }))
	of("receipt", stated(func(s *said) string { return s.ReceiptID }))
	of("target", stated(func(s *said) string { return s.Target }))
	step := func(value func(n *node) string) func(t *try) string {
		return func(t *try) string {
			if t.owner == nil {
				return ""
			}
			return value(t.owner)
		}
	}
	of("step", step(func(n *node) string { return n.span.Name }))
	of("agent", step(func(n *node) string { return x.inherited(n, semconv.GenAIAgentName) }))
	of("task", step(func(n *node) string { return string(n.task) }))
	of("began", step(func(n *node) string { return at(n.span.Start - x.start) }))
	of("took", step(func(n *node) string { return lasted(n.span.Start, n.span.End) }))
	of("status", step(func(n *node) string { return n.span.Status }))
	of("error", step(func(n *node) string { return n.span.Attrs.Str(semconv.ErrorType) }))
	of("decision", func(t *try) string {
		for _, d := range x.decisions {
			if t.owner != nil && slices.Contains(d.calls, t.owner) {
				return strings.TrimSpace(d.Verdict + " by " + d.DecidedBy + " " + d.Enforced)
			}
		}
		return ""
	})
}

// mostOfCell is how much of a value a line shows; the JSON form has it whole.
const mostOfCell = 60

// WriteComparison writes two attempts side by side, as Markdown or for a terminal
// of so many columns. What differs is marked.
func WriteComparison(w io.Writer, c Comparison, markdown bool, width int) error {
	mark := func(r *CompareRow) string {
		if r.Same {
			return ""
		}
		return "differs"
	}
	if markdown {
		title := "Task " + CodeSpan(c.TaskID)
		if c.EffectID != "" {
			title = "Effect " + CodeSpan(c.EffectID)
		}
		fmt.Fprintf(w, "# %s: attempts %s and %s\n\n", title, CodeSpan(c.Left), CodeSpan(c.Right))
		WriteTable(w, []string{"", c.label(c.Left), c.label(c.Right), ""}, len(c.Rows), func(i int) []string {
			r := &c.Rows[i]
			return []string{r.What, r.Left, r.Right, mark(r)}
		})
		return nil
	}
	widths := [3]int{}
	rows := append([]CompareRow{{What: "", Left: c.head(c.Left), Right: c.head(c.Right), Same: true}}, c.Rows...)
	room := width - len("  differs") - 4 // for the two values, besides what is compared
	for i := range rows {
		widths[0] = max(widths[0], cellsOf(rows[i].What))
	}
	room = max(min((room-widths[0])/2, mostOfCell), 12)
	for i := range rows {
		for j, s := range []*string{&rows[i].What, &rows[i].Left, &rows[i].Right} {
			most := room
			if j == 0 {
				most = mostOfCell
			}
			if *s = cut(harmless(*s), most); *s == "" && j > 0 {
				*s = "-"
			}
			widths[j] = max(widths[j], cellsOf(*s))
		}
	}
	for i := range rows {
		r := &rows[i]
		line := pad(r.What, widths[0]) + "  " + pad(r.Left, widths[1]) + "  " + pad(r.Right, widths[2]) + "  " + mark(r)
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// head is what stands over a side: for an effect its id too, as it was asked for.
func (c *Comparison) head(attempt string) string {
	if c.EffectID == "" {
		return c.label(attempt)
	}
	return attempt
}

// label is a column head, which holds no text of others.
func (c *Comparison) label(attempt string) string {
	_, n, _ := attemptName(attempt)
	return "attempt " + strconv.FormatInt(n, 10)
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(width-cellsOf(s), 0)) }
