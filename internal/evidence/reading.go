package evidence

import (
	"slices"
	"strings"
)

// Reading is a run made ready for several answers, which costs as much as one.
// It is not safe for concurrent use.
type Reading struct{ x *index }

// Read makes a run ready. The run must not be changed afterwards.
func Read(run Run) *Reading { return &Reading{newIndex(run)} }

// Report answers everything, as NewReport does.
func (r *Reading) Report(asked TaskID) Report { return r.x.report(asked) }

// Summary is the line of the run in a listing.
func (r *Reading) Summary() Summary { return r.x.summary() }

// Supported says what the evidence, without any claim, supports, and why.
func (r *Reading) Supported() (state, why string) { return r.x.supported() }

// Absent says in words what the run speaks of and does not hold; nothing for a run
// that is whole.
func (r *Reading) Absent() []string { return r.x.absent().words() }

// Answers are those to the ten questions.
func (r *Reading) Answers() [10]Question { return r.x.answer() }

// Finding says in words what an attribution means.
type Finding struct {
	Step    string   // name of the accused step, "" if none is
	Clean   bool     // there is no wrong step, and the evidence supports completed
	Because []string // why the step is accused, or why none can be named
	Limits  []string // what the evidence of a run without a wrong step does not tell
}

// Finding explains the attribution of a report of this run.
func (r *Reading) Finding(rep *Report) Finding {
	var f Finding
	switch a := &rep.Attribution; a.Result {
	case ResultStep:
		f.Step, f.Because = r.x.name(*a), r.x.because(a)
	case ResultUnknown:
		for _, g := range r.x.gaps(r.x.suspects()) {
			f.Because = append(f.Because, g.why+shown(g.ref))
		}
	default:
		f.Clean, f.Limits = r.x.clean(rep)
	}
	return f
}

// Attempts are the numbers of a task's attempts, as Compare takes them.
func (r *Reading) Attempts(task TaskID) []int64 {
	var out []int64
	for _, n := range r.x.attemptsOf(task) {
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Parent is the task that delegated a task, or "".
func (r *Reading) Parent(task TaskID) TaskID { return r.x.parents[task] }

// EffectTool is the tool that made an effect, or "".
func (r *Reading) EffectTool(id string) string {
	if e := r.x.byEffect[id]; e != nil {
		return e.tool
	}
	return ""
}

// DecisionSubject is the name of the call that a decision is about, or "".
func (r *Reading) DecisionSubject(id string) string {
	for _, d := range r.x.decisions {
		if d.ID == id {
			if n := d.subject(); n != nil {
				return n.span.Name
			}
		}
	}
	return ""
}

// Words of a relation, stage or class are read better with spaces.
func wordsOf(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Length writes a length of time in at most seven columns.
func Length(ns int64) string { return span(ns) }
