package quality

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Service is how well the runs of a service can be reviewed.
type Service struct {
	Tenant    string     `json:"tenant"`
	Service   string     `json:"service"`
	Runs      int        `json:"runs"`
	Answered  float64    `json:"answered"` // share of the questions, 0 to 1
	Partly    float64    `json:"partly"`
	Questions []Question `json:"questions"`
	Next      []Next     `json:"next"` // what to instrument, the greatest gain first
}

// Question is how often one of the ten is answered.
type Question struct {
	N        int     `json:"n"`
	Text     string  `json:"text"`
	Answered float64 `json:"answered"`
	Partly   float64 `json:"partly"`
}

// Next is an attribute to state.
type Next struct {
	Key       string `json:"key"`
	Gain      int    `json:"gain"`      // questions it is missing for, over all runs
	Questions []int  `json:"questions"` // which ones
	Line      string `json:"line"`
}

// most is how many attributes are proposed.
const most = 3

// Meter adds up runs.
type Meter struct{ services map[[2]string]*tally }

type tally struct {
	runs             int
	answered, partly [10]int
	missing          map[string]*[10]int
}

// Add counts a run for the service of its root.
func (m *Meter) Add(run evidence.Run) {
	s := evidence.Summarize(run)
	if m.services == nil {
		m.services = map[[2]string]*tally{}
	}
	k := [2]string{s.Tenant, s.Service}
	t := m.services[k]
	if t == nil {
		t = &tally{missing: map[string]*[10]int{}}
		m.services[k] = t
	}
	t.runs++
	for i, q := range evidence.Answer(run) {
		switch q.Status {
		case evidence.Answered:
			t.answered[i]++
			continue
		case evidence.Partly:
			t.partly[i]++
		}
		for _, key := range q.Missing {
			if t.missing[key] == nil {
				t.missing[key] = &[10]int{}
			}
			t.missing[key][i]++
		}
	}
}

// Services returns all services, the one that answers least first.
func (m *Meter) Services() []Service {
	out := make([]Service, 0, len(m.services))
	for k, t := range m.services {
		s := Service{Tenant: k[0], Service: k[1], Runs: t.runs, Next: t.next()}
		asked := float64(10 * t.runs)
		for i := range 10 {
			s.Answered += float64(t.answered[i]) / asked
			s.Partly += float64(t.partly[i]) / asked
			s.Questions = append(s.Questions, Question{
				N: i + 1, Text: evidence.QuestionText(i + 1),
				Answered: float64(t.answered[i]) / float64(t.runs), Partly: float64(t.partly[i]) / float64(t.runs),
			})
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Service) int {
		return cmp.Or(cmp.Compare(a.Answered, b.Answered), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Tenant, b.Tenant))
	})
	return out
}

func (t *tally) next() []Next {
	out := []Next{}
	for key, by := range t.missing {
		n := Next{Key: key, Line: Line(key)}
		for i, count := range by {
			if count > 0 {
				n.Gain += count
				n.Questions = append(n.Questions, i+1)
			}
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Next) int { return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Key, b.Key)) })
	return out[:min(len(out), most)]
}
