package evidence

import (
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// node is a step in its surroundings.
type node struct {
	span     *Span
	at       int // position by start, then id
	op       string
	tool     known
	owned    bool // owner is known
	judged   *judgment
	has      groups // what the span and the records in its context state
	failed   bool
	error    errorKind // how it ended, noError if it ended well
	facts    *Facts
	records  []*Record // in this context
	stated   []*Facts  // of those records
	parent   *node     // nil for a root and for a span whose parent is not here
	children []*node
	to       []edge // links to steps of the run, and the steps
	from     []edge // links from steps of the run, and the steps
	owner    *node  // the execute_tool it speaks for, itself if it is one
	task     TaskID // stated, else that of its surroundings, else "trace:" and hex
}

// noFacts is what most steps state; nobody writes to it.
var noFacts Facts

type edge struct {
	step     *node
	relation string
}

// caused reports whether what went wrong on the linking side can be why the other
// side went wrong. The next turn of a session comes after it was over.
func (e *edge) caused() bool { return e.relation != semconv.AppLinkRelationFollows }

// descends reports whether the linking side works on behalf of the other one: it
// began after it and has its authority. Who judges, or only refers, has its own.
func (e *edge) descends() bool {
	switch e.relation {
	case semconv.AppLinkRelationContinues, semconv.AppLinkRelationRetries, semconv.AppLinkRelationDelegatedFrom,
		semconv.AppLinkRelationSubmittedBy, semconv.AppLinkRelationCrossesBoundary:
		return true
	}
	return false
}

// redoes reports whether the linking side does the other one's work again or goes on with it.
func (e *edge) redoes() bool {
	return e.relation == semconv.AppLinkRelationRetries || e.relation == semconv.AppLinkRelationContinues
}

// index is a run made ready for questions. It holds what belongs to the tenant
// of the run, once, in one order whatever the order of arrival was.
type index struct {
	tenant  string
	nodes   []*node
	byID    map[StepID]*node
	byCall  map[string][]*node
	records []*Record
	stated  []Facts // of records, in their order
	start   int64
	end     int64

	tasks       []TaskID // by first appearance
	root        TaskID
	parents     map[TaskID]TaskID
	decisions   []*decision
	decisionsAt decisionBook
	answers     map[page]*answer    // to questions and refusals, by what they are about
	refusals    map[*node]*decision // refusal of a call, the last one
	effects     []*effect
	byEffect    map[string]*effect
	controls    []*control
	claims      []*Claim
	latest      map[TaskID]*Claim
	verdicts    []*verdict
	holders     map[string][]*node // steps that name an artifact, by id and hash
	protocols   []*Protocol
	states      []*Protocol // statements about remote tasks among others
	breaches    []breach
	untold      []*node // acted outside an authority that came over a link without relation, if it did
	inherit     map[string][]heritage

	named      map[string][]*node // steps by span id, step id and response id
	carriers   map[string][]*node // steps by effect id
	behind     map[TraceID]int64  // of traces whose clock is not that of the run
	resumeEnd  *int64
	suspected  *suspects
	attributed *Attribution
}

func newIndex(run Run) *index {
	x := &index{tenant: run.Tenant}
	x.addSpans(run.Spans)
	x.addRecords(run.Records)
	x.connect()
	x.alignClocks()
	x.addTasks()
	x.addDecisions()
	x.addEffects()
	x.addControls()
	x.addClaims()
	x.addVerdicts()
	x.addProtocols()
	x.findBreaches()
	return x
}

func (x *index) addSpans(spans []Span) {
	x.byID = make(map[StepID]*node, len(spans))
	x.nodes = make([]*node, 0, len(spans))
	store := make([]node, len(spans))
	var twice map[StepID][]*Span
	for i := range spans {
		s := &spans[i]
		if s.Tenant != x.tenant || s.ID.IsZero() {
			continue
		}
		if first, ok := x.byID[s.ID]; ok {
			if twice == nil {
				twice = map[StepID][]*Span{}
			}
			if twice[s.ID] == nil {
				twice[s.ID] = append(twice[s.ID], first.span)
			}
			twice[s.ID] = append(twice[s.ID], s)
			continue
		}
		n := &store[i]
		n.span = s
		x.byID[s.ID] = n
		x.nodes = append(x.nodes, n)
	}
	for id, all := range twice {
		x.byID[id].span = mergeAll(all)
	}
	x.sortNodes()
	var d drawer
	var stated []Facts
	for i, n := range x.nodes {
		n.at = i
		d.row.read(n.span.Attrs, n.span.Links)
		n.has, n.op, n.task = d.row.has, d.row.str(slotOperation), TaskID(d.row.str(slotTask))
		n.failed = spanFailed(n.span)
		if n.failed || n.has&hasError != 0 {
			n.error = errorKindOf(n.span)
		}
		if n.has&facts != 0 || len(n.span.Events) > 0 {
			n.facts = &one(&stated, d.factsOf(n.span))[0]
		} else {
			n.facts = &noFacts
		}
		if i == 0 || n.span.Start < x.start {
			x.start = n.span.Start
		}
		x.end = max(x.end, n.span.End)
	}
}

// sortNodes puts the steps in order of start, then id.
func (x *index) sortNodes() {
	type begun struct {
		start int64
		n     *node
	}
	all := make([]begun, len(x.nodes))
	for i, n := range x.nodes {
		all[i] = begun{n.span.Start, n}
	}
	slices.SortFunc(all, func(a, b begun) int {
		if a.start != b.start {
			return compareInts(a.start, b.start)
		}
		return compareSteps(a.n.span.ID, b.n.span.ID)
	})
	for i := range all {
		x.nodes[i] = all[i].n
	}
}

// mergeAll folds statements of one span in an order of their own.
func mergeAll(all []*Span) *Span {
	slices.SortFunc(all, compareStatements)
	out := *all[0]
	for _, s := range all[1:] {
		out = MergeSpan(out, *s)
	}
	return &out
}

func (x *index) addRecords(records []Record) {
	seen := make(map[RecordID]bool, len(records))
	for i := range records {
		r := &records[i]
		if r.Tenant != x.tenant || r.ID != (RecordID{}) && seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		x.records = append(x.records, r)
	}
	slices.SortStableFunc(x.records, compareRecords)
	x.stated = make([]Facts, len(x.records))
	var d drawer
	for i, r := range x.records {
		d.row.read(r.Attrs, nil)
		has := d.row.has
		x.stated[i] = d.factsOfRecord(r)
		if n := x.byID[r.Step]; n != nil {
			n.has |= has
			if n.task == "" {
				n.task = TaskID(d.row.str(slotTask))
			}
			n.records = append(n.records, r)
			n.stated = append(n.stated, &x.stated[i])
		}
		if x.start == 0 || r.Time != 0 && r.Time < x.start {
			x.start = r.Time
		}
		x.end = max(x.end, r.Time)
	}
}

func (x *index) connect() {
	calls := 0
	for _, n := range x.nodes {
		if n.has&hasCall != 0 {
			calls++
		}
	}
	x.byCall = make(map[string][]*node, calls)
	var room []*node
	for _, n := range x.nodes {
		if n.span.Parent != (SpanID{}) {
			n.parent = x.byID[StepID{Trace: n.span.ID.Trace, Span: n.span.Parent}]
		}
		for i := range n.span.Links {
			l := &n.span.Links[i]
			if t := x.byID[l.To]; t != nil && t != n {
				n.to = append(n.to, edge{t, l.Relation})
				t.from = append(t.from, edge{n, l.Relation})
			}
		}
		if n.has&hasCall == 0 || !n.isCall() {
			continue
		}
		if call := n.span.Attrs.Str(semconv.GenAIToolCallID); call != "" {
			x.byCall[call] = add(x.byCall[call], &room, n)
		}
	}
	x.cutCycles()
	x.addChildren()
	for _, n := range x.nodes {
		if len(n.to) > 1 {
			slices.SortStableFunc(n.to, func(a, b edge) int { return compareInts(int64(a.step.at), int64(b.step.at)) })
		}
	}
	for _, n := range x.nodes {
		n.owner = n.findOwner()
	}
}

// addChildren lists the children of every step, in one piece of memory.
func (x *index) addChildren() {
	many := make([]int32, len(x.nodes))
	for _, n := range x.nodes {
		if n.parent != nil {
			many[n.parent.at]++
		}
	}
	all := make([]*node, len(x.nodes))
	for _, n := range x.nodes {
		p := n.parent
		if p == nil {
			continue
		}
		if p.children == nil {
			room := many[p.at]
			p.children, all = all[:0:room], all[room:]
		}
		p.children = append(p.children, n)
	}
}

// cutCycles takes the parent from one step, the first, of every circle of
// parents, as if it were not here; every walk up ends then.
func (x *index) cutCycles() {
	walk := make([]int, len(x.nodes)) // number of the walk that came by
	for i, n := range x.nodes {
		p := n
		for p != nil && walk[p.at] == 0 {
			walk[p.at] = i + 1
			p = p.parent
		}
		if p == nil || walk[p.at] != i+1 {
			continue
		}
		first := p
		for c := p.parent; c != p; c = c.parent {
			if c.at < first.at {
				first = c
			}
		}
		first.parent = nil
	}
}

// isCall reports whether the span is a call of a tool, seen from the agent or
// from its MCP client.
func (n *node) isCall() bool {
	return n.op == semconv.GenAIOperationNameExecuteTool || n.has&hasProtocol != 0 &&
		n.span.Attrs.Str(semconv.MCPMethodName) == semconv.MCPMethodNameToolsCall
}

// isTool reports whether the span is the execution of a tool. MCP
// instrumentation calls its own spans execute_tool as well: below another
// execute_tool they are its client or server, not a second call.
func (n *node) isTool() bool {
	if n.op != semconv.GenAIOperationNameExecuteTool {
		return false
	}
	if n.tool == unasked {
		n.tool = yes
		if n.has&hasProtocol != 0 && speaksMCP(n.span.Attrs) && n.parent != nil && n.parent.findOwner() != nil {
			n.tool = no
		}
	}
	return n.tool == yes
}

type known uint8

const (
	unasked known = iota
	yes
	no
)

// findOwner returns the execute_tool at or above the step. Another agent's work
// below a tool is not the tool's own.
func (n *node) findOwner() *node {
	var room [16]*node
	path := room[:0]
	var owner *node
	for p := n; p != nil; p = p.parent {
		if p.owned {
			owner = p.owner
			break
		}
		path = append(path, p)
		if p.isTool() {
			owner = p
			break
		}
		if p.op == semconv.GenAIOperationNameInvokeAgent || p.op == semconv.GenAIOperationNameInvokeWorkflow {
			break
		}
	}
	for _, p := range path {
		p.owner, p.owned = owner, true
	}
	return owner
}

// isRoot reports whether the span has no parent, here or elsewhere.
func (n *node) isRoot() bool { return n.span.Parent == (SpanID{}) }

// orphan reports whether the span's parent is not in the run.
func (n *node) orphan() bool { return !n.isRoot() && n.parent == nil }

// str returns what the span, or else a record in its context, states.
func (n *node) str(key string) string {
	if s := n.span.Attrs.Str(key); s != "" {
		return s
	}
	for _, r := range n.records {
		if s := r.Attrs.Str(key); s != "" {
			return s
		}
	}
	return ""
}

func (n *node) list(key string) []string {
	if l := n.span.Attrs.Strings(key); l != nil {
		return l
	}
	for _, r := range n.records {
		if l := r.Attrs.Strings(key); l != nil {
			return l
		}
	}
	return nil
}

// facts of the span, its events and the records in its context, in one order.
func (x *index) eachFacts(yield func(n *node, f *Facts)) {
	for _, n := range x.nodes {
		yield(n, n.facts)
	}
	for i, r := range x.records {
		yield(x.byID[r.Step], &x.stated[i])
	}
}

const traceTaskPrefix = "trace:"

func traceTask(t TraceID) TaskID { return TaskID(traceTaskPrefix + t.String()) }

// Trace returns the trace, in hex, that names a run in which no task is named.
func (t TaskID) Trace() (hex string, ok bool) {
	hex, ok = strings.CutPrefix(string(t), traceTaskPrefix)
	return hex, ok && len(hex) == 2*len(TraceID{}) && strings.Trim(hex, "0123456789abcdef") == ""
}
