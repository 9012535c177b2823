package synth

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// turn is everything known of one turn. The root's attributes are those of the
// turn; every span carries its turn keys.
type turn struct {
	key      turnKey
	identity string
	tenant   string
	dialect  string
	session  string
	turnID   string
	derived  pcommon.TraceID // trace of those of the turn's records that had none
	named    bool            // the records name a turn, not only a session
	res      *resource
	sess     *session
	owner    *State

	resumes   *turnMark // of the same task, which this one continues
	root      act
	started   bool // a record stated the start
	ended     bool // a record stated the end
	acting    bool // something was done, so the root is an invoke_agent
	moved     bool // a span that others may hang under appeared
	refers    bool // some act names a tool call that it hangs under
	looseOpen int  // loose openers not sent on their own
	holding   bool // some act waits for a span of the agent's own
	heldAt    int64

	acts  []*act
	byID  map[pcommon.SpanID]*act // only when there are many
	dirty []*act

	bytes      int
	batch      uint64 // number of the batch that last touched it
	touched    int64  // when a record last came, as told by the caller
	queue      *queue
	prev, next *turn
}

const (
	turnSize  = 560
	indexSize = 48
	fewActs   = 24 // up to here a scan beats a map
)

func (t *turn) find(id pcommon.SpanID) *act {
	if t.byID != nil {
		return t.byID[id]
	}
	for _, a := range t.acts {
		if a.id == id {
			return a
		}
	}
	return nil
}

func (t *turn) add(a *act) {
	t.acts = append(t.acts, a)
	t.bytes += actSize
	if t.byID == nil && len(t.acts) > fewActs {
		t.byID = make(map[pcommon.SpanID]*act, 2*fewActs)
		for _, x := range t.acts {
			t.byID[x.id] = x
		}
		t.bytes += (len(t.acts) - 1) * indexSize // the new one is counted below
	}
	if t.byID != nil {
		t.byID[a.id] = a
		t.bytes += indexSize
	}
}

func (t *turn) mark(a *act) {
	if !a.dirty {
		a.dirty = true
		t.dirty = append(t.dirty, a)
	}
}

// absorb takes over one record. It answers Late when the record's span was
// sent and once is true.
func (t *turn) absorb(e *event, once bool) Outcome {
	t.absorbRoot(e)
	if e.rule.act == actRoot {
		return lateIf(once && t.root.sent)
	}
	if e.rule.act != actNote && !(e.rule.aside && e.request == "") {
		t.acting = true
	}
	if e.rule.aside && e.request == "" {
		t.bytes += t.root.remember(e)
		return lateIf(once && t.root.sent)
	}
	a := t.actOf(e)
	late := once && a.sent
	if e.rule.aside {
		t.bytes += a.remember(e)
		a.span(e)
	} else {
		t.bytes += a.unite(e)
	}
	if !late {
		t.mark(a)
	}
	t.imply(e)
	return lateIf(late)
}

func lateIf(late bool) Outcome {
	if late {
		return Late
	}
	return Joined
}

// absorbRoot takes over what a record says of its turn.
func (t *turn) absorbRoot(e *event) {
	may := keys().turn
	switch {
	case e.rule.whole:
		may = keys().any
	case !e.delegated() && e.rule.act != actAgent && e.rule.act != actNote:
		may = keys().placed
	}
	before := len(t.root.facts)
	t.root.facts = t.root.facts.unite(e.attrs, may, &e.scratch)
	t.bytes += len(t.root.facts) - before
	t.root.first, t.root.last = earliest(t.root.first, e.start), max(t.root.last, e.time)
	t.root.dirty = true
	if e.rule.act != actRoot {
		return
	}
	t.acting = true
	t.bytes += t.root.context(e.span)
	switch {
	case e.rule.opens:
		t.started = true
	case e.rule.closes:
		t.ended = true
		t.root.failed = t.root.failed || e.failed()
	}
}

// actOf returns the act that a record speaks of and makes it if it is new.
func (t *turn) actOf(e *event) *act {
	if e.parentCall != "" || e.call != "" && (e.rule.act == actNote || e.rule.act == actAgent) {
		t.refers = true
	}
	kind, call, loose := e.naming()
	id := spanID(t.identity, kind, call)
	if a := t.find(id); a != nil {
		return a
	}
	a := &act{id: id, rule: e.rule, kind: e.rule.act, loose: loose}
	t.add(a)
	if loose && e.rule.opens {
		t.looseOpen++
	}
	if a.kind == actAgent && e.instance != "" {
		t.cover(a, e.instance)
	}
	if a.kind == actAgent || a.kind == actTool && t.refers {
		t.moved = true
	}
	return a
}

// naming returns what the id of the event's act is made from, and whether it
// had to be made from the record's content.
func (e *event) naming() (kind, call string, loose bool) {
	switch e.rule.act {
	case actInference:
		kind, call = idInference, e.request
	case actTool:
		kind, call = idTool, e.call
	case actAgent:
		if kind, call = idAgent, e.instance; call == "" {
			call = e.call
		}
	default:
		return idNote, e.content(), false
	}
	if call == "" {
		return kind, e.content(), true
	}
	return kind, call, false
}

// imply takes a record as a sign of life of the agent instance that it names.
// One that names who started that instance, or by which call, is a sub-agent's, even
// when nobody announced that one.
func (t *turn) imply(e *event) {
	if e.instance == "" || e.rule.act == actAgent {
		return
	}
	id := spanID(t.identity, idAgent, e.instance)
	a := t.find(id)
	if a == nil && !e.delegated() {
		return
	}
	if a == nil {
		a = &act{id: id, kind: actAgent, implied: true}
		t.add(a)
		t.moved = true
		t.cover(a, e.instance)
	}
	if e.delegated() {
		if name := find(e.attrs, places().agent); name != nil {
			name.inferred = true // it is that of the record's agent
		}
		before := len(a.facts)
		a.facts = a.facts.unite(e.attrs, keys().agent, &e.scratch)
		t.bytes += len(a.facts) - before
	}
	a.first, a.last = earliest(a.first, e.start), max(a.last, e.time)
	t.mark(a)
}

// cover widens a new agent by what was seen of it before.
func (t *turn) cover(a *act, instance string) {
	for _, x := range t.acts {
		if x.kind != actAgent && x.str(places().instance) == instance {
			a.first, a.last = earliest(a.first, earliest(x.start, x.first)), max(a.last, x.end, x.last)
		}
	}
}

// parentOf returns the span that an act hangs under.
func (t *turn) parentOf(a *act) pcommon.SpanID {
	p := places()
	if a.kind == actAgent {
		if id, ok := t.known(idTool, a.str(p.parentCall), a); ok {
			return id
		}
		if id, ok := t.known(idAgent, a.str(p.parentInstance), a); ok {
			return id
		}
	}
	if a.kind == actAgent || a.kind == actNote {
		if id, ok := t.known(idTool, a.str(p.call), a); ok {
			return id
		}
	}
	if a.kind != actAgent {
		if id, ok := t.known(idAgent, a.str(p.instance), a); ok {
			return id
		}
	}
	return t.root.id
}

func (t *turn) known(kind, call string, self *act) (pcommon.SpanID, bool) {
	if call == "" {
		return pcommon.SpanID{}, false
	}
	a := t.find(spanID(t.identity, kind, call))
	if a == nil || a == self {
		return pcommon.SpanID{}, false
	}
	if p := places(); kind == idTool && self.kind == actAgent && a.str(p.instance) == self.str(p.instance) && a.str(p.instance) != "" {
		return pcommon.SpanID{}, false // a call of the agent itself did not start it
	}
	return a.id, true
}

// settle computes the parents that a new span may have changed and joins loose
// records.
func (t *turn) settle() {
	if t.looseOpen > 0 {
		t.joinLoose()
	}
	if t.moved {
		t.moved = false
		for _, a := range t.acts {
			if id := t.parentOf(a); id != a.parent {
				a.parent = id
				t.mark(a)
			}
		}
		return
	}
	for _, a := range t.dirty {
		a.parent = t.parentOf(a)
	}
}

func (t *turn) forget(a *act) {
	t.dirty = slices.DeleteFunc(t.dirty, func(x *act) bool { return x == a })
	a.dirty = false
}
