package review

import (
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Task is the page of one run.
type Task struct {
	Tenant    string
	ID        string // as its address has it
	Title     string
	RootPlace string // of the run
	Name      string
	Report    evidence.Report
	Summary   evidence.Summary
	Start     string
	Took      string
	Usage     Usage
	Claimed   string // what is claimed: a state, running or nothing
	Claim     *evidence.ClaimReport
	Supported string // what the evidence supports
	Why       string
	Agrees    bool     // claim and evidence say the same
	Absent    []string // what the run speaks of and does not hold
	Finding   evidence.Finding
	First     *StoryRow // the first wrong step
	FirstHops []Proof
	Timeline  Timeline
	Story     Story
	Effects   []EffectRow
	Decisions []DecisionRow
	Verdicts  []VerdictRow
	Attempts  []int64
	Compare   []Pair
	Sessions  []Ref
	Answered  int
	More      map[string]int // rows left out, by section
}

// Proof is a row that proves something, with its place if it has one.
type Proof struct {
	Kind, ID, Place string
}

// Shown is the id as a reader has it: of a step the beginnings of its trace and span.
func (p *Proof) Shown() string {
	if trace, span, ok := strings.Cut(p.ID, "/"); ok && p.Kind == "span" {
		return short(trace) + "/" + short(span)
	}
	return p.ID
}

// Ref is an id with its place.
type Ref struct {
	ID    string `json:"id"`
	Place string `json:"place"` // address of its page
}

// EffectRow is an effect in the ledger.
type EffectRow struct {
	evidence.EffectReport
	Tool      string
	Tries     []TryRow
	MoreTries int
}

// TryRow is a try at an effect, with the ladder of stages.
type TryRow struct {
	evidence.AttemptReport
	Ladder []Rung
	Place  string
}

// Rung is a stage of an effect that was seen or not.
type Rung struct {
	Stage string
	Seen  bool
}

// DecisionRow is a decision with what it is about.
type DecisionRow struct {
	evidence.DecisionEntry
	About, Place string
}

// VerdictRow is a verdict with its subject's place.
type VerdictRow struct {
	evidence.VerdictEntry
	Subject string
	Place   string
}

// Pair is two attempts that can be compared.
type Pair struct{ Text, Place string }

// mostRows bounds every list of the page; the report as data has all.
const mostRows = 40

// mostTries bounds the tries of all effects together; an effect shows at least one.
const mostTries = 80

// NewTask builds the page of a run; asked is the id that the reader asked for.
func NewTask(r *evidence.Reading, asked string) Task {
	steps := r.Steps()
	rep := r.Report(evidence.TaskID(asked))
	t := Task{
		Tenant: rep.Tenant, ID: asked, Title: title(evidence.TaskID(rep.TaskID)), Report: rep, Summary: r.Summary(), Usage: usageOf(r), More: map[string]int{},
		Finding: r.Finding(&rep), Timeline: NewTimeline(r, steps), Story: NewStory(r, &rep, steps),
	}
	t.RootPlace = rootPlace(&rep)
	start, end := r.Window()
	t.Name, t.Start, t.Took = t.Summary.Name, clock(start), took(start, end)
	t.Supported, t.Why = r.Supported()
	t.Absent = r.Absent()
	t.claim()
	for i := range steps {
		if steps[i].First {
			row := storyRow(steps, i, 0, start)
			t.First = &row
		}
	}
	at := map[string]string{} // places of rows that prove something
	for i := range steps {
		at[steps[i].Span.ID.String()] = stepPlace(&steps[i])
	}
	for _, e := range rep.Attribution.Evidence {
		p := Proof{Kind: e.Kind, ID: e.ID, Place: at[e.ID]}
		if e.Kind == "effect" {
			p.Place = "#effects"
		}
		if e.Kind == "decision" {
			p.Place = "#decisions"
		}
		t.FirstHops = append(t.FirstHops, p)
	}
	t.effects(r)
	t.decisions(r)
	t.verdicts(at)
	t.attempts(r)
	t.sessions(steps)
	for _, q := range rep.Questions {
		if q.Status == evidence.Answered {
			t.Answered++
		}
	}
	return t
}

func (t *Task) claim() {
	t.Claimed = t.Summary.Outcome
	for i := range t.Report.Claims {
		c := &t.Report.Claims[i]
		if c.TaskID == t.Report.RootTaskID && c.State == t.Claimed {
			t.Claim = c
		}
	}
	t.Agrees = t.Claimed == t.Supported
}

// ladder is the order of the stages of an effect.
var ladder = []string{semconv.AppEffectStageIntent, semconv.AppEffectStageDispatched, semconv.AppEffectStageAcked, semconv.AppEffectStageReceipt, semconv.AppEffectStageVerified}

func (t *Task) effects(r *evidence.Reading) {
	list := bounded(t, "effects", t.Report.Effects, func(e evidence.EffectReport) bool {
		return e.State == evidence.EffectUnknown || e.State == evidence.EffectFailed
	})
	left := mostTries
	for _, e := range list {
		row := EffectRow{EffectReport: e, Tool: r.EffectTool(e.EffectID)}
		shown := min(len(e.Attempts), max(1, min(left-len(list), 8)))
		left -= shown
		row.MoreTries = len(e.Attempts) - shown
		for _, a := range e.Attempts[:shown] {
			try := TryRow{AttemptReport: a, Place: StepPlace(t.Tenant, a.TraceID, a.SpanID)}
			for _, stage := range ladder {
				try.Ladder = append(try.Ladder, Rung{stage, slices.Contains(a.Stages, stage)})
			}
			for _, stage := range a.Stages {
				if !slices.Contains(ladder, stage) {
					try.Ladder = append(try.Ladder, Rung{stage, true})
				}
			}
			row.Tries = append(row.Tries, try)
		}
		t.Effects = append(t.Effects, row)
	}
}

func (t *Task) decisions(r *evidence.Reading) {
	list := bounded(t, "decisions", t.Report.Decisions, func(d evidence.DecisionEntry) bool {
		return d.Bypass || d.Verdict != semconv.AppPermissionDecisionAllow
	})
	for _, d := range list {
		t.Decisions = append(t.Decisions, DecisionRow{d, r.DecisionSubject(d.DecisionID), StepPlace(t.Tenant, d.TraceID, d.SpanID)})
	}
}

func (t *Task) verdicts(at map[string]string) {
	list := bounded(t, "verdicts", t.Report.Verdicts, func(v evidence.VerdictEntry) bool {
		return v.Disagrees || v.Verdict != semconv.AppVerifierVerdictPass
	})
	for _, v := range list {
		row := VerdictRow{VerdictEntry: v, Subject: v.SubjectID, Place: at[v.SubjectID]}
		if row.Place != "" {
			row.Subject = short(v.SubjectID)
		}
		t.Verdicts = append(t.Verdicts, row)
	}
}

// attempts offers what can stand side by side: attempts at the task, and tries of
// an effect.
func (t *Task) attempts(r *evidence.Reading) {
	t.Attempts = r.Attempts(evidence.TaskID(t.Report.TaskID))
	number := func(n int64) string { return Number(n) }
	for i := 1; i < len(t.Attempts) && len(t.Compare) < 6; i++ {
		a, b := number(t.Attempts[i-1]), number(t.Attempts[i])
		t.Compare = append(t.Compare, Pair{"attempts " + a + " and " + b, ComparePlace(t.Tenant, t.ID, a, b)})
	}
	for _, e := range t.Report.Effects {
		for i := 1; i < len(e.Attempts) && len(t.Compare) < 12; i++ {
			a, b := number(int64(e.Attempts[i-1].Attempt)), number(int64(e.Attempts[i].Attempt))
			t.Compare = append(t.Compare, Pair{"tries " + a + " and " + b + " of " + e.EffectID, ComparePlace(t.Tenant, t.ID, e.EffectID+":"+a, e.EffectID+":"+b)})
		}
	}
}

func (t *Task) sessions(steps []evidence.Step) {
	seen := map[string]bool{}
	for i := range steps {
		for _, key := range evidence.TermKeys[evidence.TermSession] {
			if id := steps[i].Span.Attrs.Str(key); id != "" && !seen[id] && len(seen) < 5 {
				seen[id] = true
				t.Sessions = append(t.Sessions, Ref{id, SessionPlace(t.Tenant, id)})
			}
		}
	}
}

// bounded puts what matters in front of a list that is too long to be shown whole.
func bounded[T any](t *Task, section string, list []T, matters func(T) bool) []T {
	if len(list) <= mostRows {
		return list
	}
	var out []T
	for _, want := range []bool{true, false} {
		for _, e := range list {
			if matters(e) == want && len(out) < mostRows {
				out = append(out, e)
			}
		}
	}
	t.More[section] = len(list) - len(out)
	return out
}
