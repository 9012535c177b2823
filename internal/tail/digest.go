package tail

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Digest is what was noted of spans or records while they were at hand, so that
// most runs are decided without decoding one. Digests of the pieces of a run add
// up to that of the run in any order.
type Digest struct {
	Clues Clues
	Rule  int // 1 + number of the first rule that matches any span, 0 if none does
	Names Names
	Parts []Part // by which the run is timed
	Payer string // smallest tenant by another key than tenant.id, whose quota counts
	Standing
}

// Add takes in another piece of the run.
func (d *Digest) Add(o *Digest) {
	d.Clues |= o.Clues
	if o.Rule != 0 && (d.Rule == 0 || o.Rule < d.Rule) {
		d.Rule = o.Rule
	}
	d.Names.add(&o.Names)
	d.Parts = addParts(d.Parts, o.Parts)
	d.pays(o.Payer)
	d.Standing.Add(&o.Standing)
}

// weight is the memory that it takes beside what every run costs. Who sends decides how
// many tasks a run names, and how long their names are.
func (d *Digest) weight() int64 {
	return max(int64(d.Names.size+len(d.Payer)+partBytes*len(d.Parts))-noted, 0)
}

const (
	noted     = 128 // bytes of what is noted, in runOverhead
	partBytes = 24
	taskBytes = 72 // a name beside its text, with its place
)

func (d *Digest) pays(tenant string) {
	if tenant != "" && (d.Payer == "" || tenant < d.Payer) {
		d.Payer = tenant
	}
}

// digestOf is the digest of a decoded run, without clues.
func digestOf(policy *Policy, run *Run) Digest {
	d := Digest{Names: namesOf(&run.Rows), Rule: policy.match(run.Traces), Parts: partsOf(&run.Rows), Standing: standingOf(run.Traces)}
	for _, rs := range run.Traces.ResourceSpans().All() {
		d.pays(policy.payer(rs.Resource()))
	}
	return d
}

// Names are the ids from which a run is named.
type Names struct {
	Trace evidence.TraceID // the smallest
	Top   string           // the smallest stated root task
	Tasks []TaskName       // in any order, each id once

	at   map[string]int // places in Tasks, once there are many
	size int            // bytes of Top and Tasks
}

// TaskName is a task and whether something names it a child of another.
type TaskName struct {
	ID    string
	Child bool
}

// note takes in the words of one span or record. The texts are copied: they may
// be part of something large.
func (n *Names) note(trace evidence.TraceID, own, parent, top string) {
	if trace != (evidence.TraceID{}) && (n.Trace == (evidence.TraceID{}) || string(trace[:]) < string(n.Trace[:])) {
		n.Trace = trace
	}
	if top != "" && (n.Top == "" || top < n.Top) {
		n.size += len(top) - len(n.Top)
		n.Top = strings.Clone(top)
	}
	if own != "" {
		n.task(own, parent != "" || top != "" && top != own, true)
	}
	if parent != "" {
		n.task(parent, false, true)
	}
}

// fewTasks are looked through one by one. Who sends decides how many a run has: the work
// for each must not grow with them.
const fewTasks = 16

func (n *Names) task(id string, child, clone bool) {
	if i := n.place(id); i >= 0 {
		n.Tasks[i].Child = n.Tasks[i].Child || child
		return
	}
	if clone {
		id = strings.Clone(id)
	}
	n.size += taskBytes + len(id)
	n.Tasks = append(n.Tasks, TaskName{id, child})
	switch {
	case n.at != nil:
		n.at[id] = len(n.Tasks) - 1
	case len(n.Tasks) > fewTasks:
		n.at = make(map[string]int, 2*fewTasks)
		for i, t := range n.Tasks {
			n.at[t.ID] = i
		}
	}
}

func (n *Names) place(id string) int {
	if n.at == nil {
		return slices.IndexFunc(n.Tasks, func(t TaskName) bool { return t.ID == id })
	}
	if i, ok := n.at[id]; ok {
		return i
	}
	return -1
}

func (n *Names) add(o *Names) {
	if o.Trace != (evidence.TraceID{}) && (n.Trace == (evidence.TraceID{}) || string(o.Trace[:]) < string(n.Trace[:])) {
		n.Trace = o.Trace
	}
	if o.Top != "" && (n.Top == "" || o.Top < n.Top) {
		n.size += len(o.Top) - len(n.Top)
		n.Top = o.Top
	}
	if n.Tasks == nil {
		n.size += o.size - len(o.Top)
		n.Tasks, n.at = o.Tasks, o.at
		return
	}
	for _, t := range o.Tasks {
		n.task(t.ID, t.Child, false)
	}
}

// Identity names a run by the smallest of its root tasks, else of its tasks, else
// of its trace ids, so that it does not depend on the order of arrival.
func (n *Names) Identity() string {
	root, task := n.Top, ""
	for _, t := range n.Tasks {
		if task == "" || t.ID < task {
			task = t.ID
		}
		if !t.Child && (root == "" || t.ID < root) {
			root = t.ID
		}
	}
	var trace string
	if n.Trace != (evidence.TraceID{}) {
		trace = n.Trace.String()
	}
	return cmp.Or(prefixed("root ", root), prefixed("task ", task), prefixed("trace ", trace))
}

func prefixed(kind, id string) string {
	if id == "" {
		return ""
	}
	return kind + id
}

// namesOf collects the names of decoded rows.
func namesOf(run *evidence.Run) (n Names) {
	note := func(a evidence.Attrs, trace evidence.TraceID) {
		n.note(trace, a.Str(semconv.AppTaskID), a.Str(semconv.AppTaskParentID), a.Str(semconv.AppTaskRootID))
	}
	for i := range run.Spans {
		note(run.Spans[i].Attrs, run.Spans[i].ID.Trace)
	}
	for i := range run.Records {
		note(run.Records[i].Attrs, run.Records[i].Step.Trace)
	}
	return n
}
