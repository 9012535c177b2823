package review

import "github.com/otelcol-agent/otelcol-agent/internal/evidence"

// TraceData is a trace as data: the rows of the page without how they are drawn.
type TraceData struct {
	Tenant string     `json:"tenant"`
	Trace  string     `json:"trace_id"`
	Task   string     `json:"task_id"`
	Steps  int        `json:"steps"` // of the trace
	From   int        `json:"from"`  // number of the first one here
	Next   string     `json:"next"`  // address of the following ones, "" at the end
	Rows   []StepData `json:"rows"`
	Others []string   `json:"other_traces"` // of the run
}

// StepData is a step as data.
type StepData struct {
	Depth  int             `json:"depth"`
	Name   string          `json:"name"`
	Kind   string          `json:"kind"` // agent, tool, model, other
	Agent  string          `json:"agent"`
	Offset string          `json:"offset"`
	Took   string          `json:"took"`
	Failed bool            `json:"failed"`
	Error  string          `json:"error_type"`
	First  bool            `json:"first_wrong_step"`
	Marks  []evidence.Mark `json:"marks"`
	Links  []HopData       `json:"links"`
	Place  string          `json:"place"` // address of its page
}

// HopData is a link.
type HopData struct {
	Direction string `json:"direction"` // to, from
	Relation  string `json:"relation"`
	Name      string `json:"name"`
	Place     string `json:"place"`
}

func (r *StoryRow) data() StepData {
	d := StepData{Depth: r.Depth, Name: r.Name, Kind: r.Kind, Agent: r.Agent, Offset: r.Offset, Took: r.Took, Failed: r.Failed, Error: r.Error, First: r.First,
		Marks: []evidence.Mark{}, Links: []HopData{}, Place: r.Place}
	for _, m := range r.Marks {
		d.Marks = append(d.Marks, m.Mark)
	}
	for _, l := range r.Links {
		way := "from"
		if l.Out {
			way = "to"
		}
		d.Links = append(d.Links, HopData{way, l.Relation, l.Name, l.Place})
	}
	return d
}

// Data is the page as data.
func (t *Trace) Data() TraceData {
	d := TraceData{Tenant: t.Tenant, Trace: t.ID, Task: t.Task.ID, Steps: t.Steps, From: t.From, Rows: []StepData{}, Others: []string{}}
	if t.Next != "" {
		d.Next = API + t.Next
	}
	for i := range t.Rows {
		d.Rows = append(d.Rows, t.Rows[i].data())
	}
	for _, o := range t.Others {
		d.Others = append(d.Others, o.ID)
	}
	return d
}

// StepDetail is the page of a step as data.
type StepDetail struct {
	StepData
	Tenant     string              `json:"tenant"`
	Trace      string              `json:"trace_id"`
	Span       string              `json:"span_id"`
	Task       string              `json:"task_id"`
	Attempt    int64               `json:"attempt"`
	Began      string              `json:"began"`
	Status     string              `json:"status"`
	Message    string              `json:"status_message"`
	Service    string              `json:"service"`
	Scope      string              `json:"scope"`
	Attributes map[string]string   `json:"attributes"` // as text
	Resource   map[string]string   `json:"resource"`
	Same       map[string][]string `json:"equal_digests"` // addresses of steps, by key
}

// Data is the page as data.
func (s *Step) Data() StepDetail {
	d := StepDetail{StepData: s.StoryRow.data(), Tenant: s.Tenant, Trace: s.Trace.ID, Span: s.Span, Task: s.Task.ID, Attempt: s.Attempt, Began: s.Began, Status: s.Status,
		Message: s.Message, Service: s.Service, Scope: s.Scope, Attributes: map[string]string{}, Resource: map[string]string{}, Same: map[string][]string{}}
	for _, g := range s.Groups {
		into := d.Attributes
		if g.Title == "Resource" {
			into = d.Resource
		}
		for _, a := range g.Attrs {
			into[a.Key] = a.Value
			for _, same := range a.Same {
				d.Same[a.Key] = append(d.Same[a.Key], same.Place)
			}
		}
	}
	return d
}
