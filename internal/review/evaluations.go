package review

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Evaluations is what verifiers said over many runs, and how it changed.
type Evaluations struct {
	Runs      int             `json:"-"`
	Verifiers []VerifierCount `json:"verifiers"`
	Disputes  []Dispute       `json:"disagreements"`          // of the newest runs
	More      int             `json:"disagreements_left_out"` // runs with some that are not in the list
	by        map[[3]string]*VerifierCount
}

// VerifierCount is the verdicts of one version of a verifier.
type VerifierCount struct {
	Verifier     string   `json:"verifier"`
	Version      string   `json:"version"`
	Kind         string   `json:"kind"`
	Pass         int      `json:"pass"`
	Fail         int      `json:"fail"`
	Unknown      int      `json:"unknown"`
	Disagrees    int      `json:"disagrees"`
	Incomparable int      `json:"not_comparable"`
	Mean         *float64 `json:"mean_score"`
	Drift        *float64 `json:"drift"` // pass rate less that of the version used just before; null without one
	First        string   `json:"first_used"`
	Last         string   `json:"last_used"`

	sum         float64
	scores      int
	first, last int64
}

// Dispute is a run in which verdicts contradict each other.
type Dispute struct {
	Task     string   `json:"task_id"`
	Tenant   string   `json:"tenant"`
	Verdicts []string `json:"verdicts"`
	Place    string   `json:"place"`
}

// maxDisputes is how many are listed.
const maxDisputes = 50

// Rate is the share of pass among pass and fail; ok is false if there is neither.
func (v *VerifierCount) Rate() (rate float64, ok bool) {
	if v.Pass+v.Fail == 0 {
		return 0, false
	}
	return float64(v.Pass) / float64(v.Pass+v.Fail), true
}

// Share is Rate for a bar.
func (v *VerifierCount) Share() float64 { r, _ := v.Rate(); return r }

// Add counts the verdicts of a run.
func (e *Evaluations) Add(r *evidence.Reading) {
	if e.by == nil {
		e.by = map[[3]string]*VerifierCount{}
	}
	e.Runs++
	rep := r.Report("")
	start, _ := r.Window()
	d := Dispute{Task: rep.RootTaskID, Tenant: rep.Tenant, Place: rootPlace(&rep)}
	for i := range rep.Verdicts {
		v := &rep.Verdicts[i]
		k := [3]string{v.Verifier, v.Version, v.Kind}
		c := e.by[k]
		if c == nil {
			c = &VerifierCount{Verifier: k[0], Version: k[1], Kind: k[2], first: start}
			e.by[k] = c
		}
		c.first, c.last = min(c.first, start), max(c.last, start)
		switch v.Verdict {
		case semconv.AppVerifierVerdictPass:
			c.Pass++
		case semconv.AppVerifierVerdictFail:
			c.Fail++
		default:
			c.Unknown++
		}
		if v.Disagrees {
			c.Disagrees++
			d.Verdicts = append(d.Verdicts, v.Verifier+" "+v.Version+" "+v.Verdict)
		}
		if !v.Comparable {
			c.Incomparable++
		}
		if v.Score != nil && v.Comparable {
			c.sum += *v.Score
			c.scores++
		}
	}
	switch {
	case len(d.Verdicts) == 0:
	case len(e.Disputes) == maxDisputes:
		e.More++
	default:
		e.Disputes = append(e.Disputes, d)
	}
}

// Finish orders verifiers by name, their versions by use, and compares each version
// with the one before.
func (e *Evaluations) Finish() {
	e.Verifiers = []VerifierCount{}
	if e.Disputes == nil {
		e.Disputes = []Dispute{}
	}
	for _, c := range e.by {
		c.First, c.Last = stamp(c.first), stamp(c.last)
		if c.scores > 0 {
			c.Mean = new(c.sum / float64(c.scores))
		}
		e.Verifiers = append(e.Verifiers, *c)
	}
	slices.SortFunc(e.Verifiers, func(a, b VerifierCount) int {
		return cmp.Or(cmp.Compare(a.Verifier, b.Verifier), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.first, b.first), cmp.Compare(a.Version, b.Version))
	})
	for i := 1; i < len(e.Verifiers); i++ {
		a, b := &e.Verifiers[i-1], &e.Verifiers[i]
		before, okA := a.Rate()
		now, okB := b.Rate()
		if a.Verifier == b.Verifier && a.Kind == b.Kind && okA && okB {
			b.Drift = new(now - before)
		}
	}
}
