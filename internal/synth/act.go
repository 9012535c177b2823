package synth

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// act is everything known of one span. Times are Unix nanoseconds; zero means
// not seen.
type act struct {
	id   pcommon.SpanID
	rule *rule // of the first record; for a note it names the span
	kind actKind

	opened  bool // an opener was seen
	closed  bool // a closer was seen
	failed  bool
	implied bool // made for the records of an agent that nobody announced
	loose   bool // no id joins it to other records
	taken   bool // a loose opener that a closer took over
	dirty   bool // changed since it was last sent
	sent    bool
	marked  bool // was sent with something inferred

	start, end  int64  // as closers say
	first, last int64  // of the other records
	operation   string // of an inference, when not chat
	facts       facts  // without those of the turn
	real        *real  // the agent's own span of this act
	guessed     bool   // that was joined by time
	held        int64  // since when it waits for such
	partner     *act   // loose opener joined by name and time
	extra       *extra // most acts have none
	parent      pcommon.SpanID
}

// extra is what few acts have.
type extra struct {
	asides   []aside
	dropped  uint32
	contexts []pcommon.SpanID // spans that records of this act came from
}

// aside is a record that became a span event.
type aside struct {
	id    string
	name  string
	time  int64
	facts facts
}

const (
	maxAsides   = 32 // span events an act
	maxContexts = 4  // links to contexts an act
	actSize     = 152
	asideSize   = 72
)

// unite takes over what a record says of the act and returns by how many bytes
// the act grew.
func (a *act) unite(e *event) int {
	before := len(a.facts)
	a.facts = a.facts.unite(e.attrs, keys().own, &e.scratch)
	if a.kind == actInference && inferenceOperations[e.operation] && e.operation > a.operation {
		a.operation = e.operation
	}
	if e.rule.act == actAgent {
		a.implied = false
	}
	a.span(e)
	return len(a.facts) - before + a.context(e.span)
}

// span widens the act's time by the record's. Only the least and the greatest
// count: a store that unites spans can do no better.
func (a *act) span(e *event) {
	switch {
	case e.rule.aside:
		a.first, a.last = earliest(a.first, e.start), max(a.last, e.time)
	case e.rule.opens || e.refusal():
		a.opened = true
		a.first, a.last = earliest(a.first, e.start), max(a.last, e.time)
	case e.rule.closes:
		a.closed, a.failed = true, a.failed || e.failed()
		a.start, a.end = earliest(a.start, e.start), max(a.end, e.time)
	default:
		a.failed = a.failed || e.failed()
		a.first, a.last = earliest(a.first, e.start), max(a.last, e.time)
	}
}

// failed reports whether the record says that the act ended in an error. What
// opens an act says nothing of its end: a refusal is no error.
func (e *event) failed() bool {
	return e.rule.fails || !e.rule.opens && find(e.attrs, places().errorType) != nil
}

// refusal reports whether the record of a failed call says itself that the call
// was refused: then the refusal is the failure, and nothing ran.
func (e *event) refusal() bool {
	if e.rule.act != actTool || !e.rule.fails {
		return false
	}
	d := find(e.attrs, places().decision)
	return d != nil && refuses(d.str)
}

func refuses(decision string) bool {
	return decision == semconv.AppPermissionDecisionDeny || decision == semconv.AppPermissionDecisionAbort
}

func allows(decision string) bool {
	return decision == semconv.AppPermissionDecisionAllow || decision == semconv.AppPermissionDecisionModify
}

func earliest(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func (a *act) context(id pcommon.SpanID) int {
	if id.IsEmpty() {
		return 0
	}
	x := a.more()
	for _, seen := range x.contexts {
		if seen == id {
			return 0
		}
	}
	if len(x.contexts) == maxContexts {
		return 0
	}
	x.contexts = append(x.contexts, id)
	return len(id)
}

func (a *act) more() *extra {
	if a.extra == nil {
		a.extra = &extra{}
	}
	return a.extra
}

// remember keeps a record as a span event.
func (a *act) remember(e *event) int {
	id, x := e.content(), a.more()
	for i := range x.asides {
		if x.asides[i].id == id {
			return 0
		}
	}
	if len(x.asides) == maxAsides {
		x.dropped++
		return 0
	}
	x.asides = append(x.asides, aside{id: id, name: e.name, time: e.time, facts: facts("").unite(e.attrs, keys().own, &e.scratch)})
	return x.asides[len(x.asides)-1].size()
}

func (x *aside) size() int { return asideSize + len(x.id) + len(x.facts) }

// str returns a string attribute of the act, or "".
func (a *act) str(key uint16) string { return a.facts.str(key) }

// call is the id of the request, the call or the agent instance, or "".
func (a *act) call() string {
	switch p := places(); a.kind {
	case actInference:
		return a.str(p.request)
	case actTool:
		return a.str(p.call)
	case actAgent:
		return a.str(p.instance)
	}
	return ""
}

// answer is the latest one to the call, its own or that of its partner, and whether
// it is a guess that it was given to this call.
func (a *act) answer() (decision string, guessed bool) {
	if x, ok := a.facts.find(places().decision); ok {
		return x.str, x.inferred
	}
	if a.partner != nil {
		return a.partner.str(places().decision), true
	}
	return "", false
}

func (a *act) refused() bool {
	decision, _ := a.answer()
	return refuses(decision)
}

// errored reports whether the act ended in an error. The failed result of a call that
// is known to have been blocked is how its refusal is reported.
func (a *act) errored() bool {
	return a.failed && !(a.kind == actTool && a.refused() && a.blocked())
}

// blocked reports whether the answer's record concludes that it is obeyed. Only what
// comes in one order, as lines of a journal do, concludes it: a failure that was sent
// before the answer to it is known cannot be taken back.
func (a *act) blocked() bool {
	x, _ := a.facts.find(places().enforced)
	return x.inferred && x.str == semconv.AppPermissionEnforcedBlocked
}

// waits reports whether a later record is expected to complete the act: an
// allowed call has a result to come, a refused one has not.
func (a *act) waits() bool {
	switch a.kind {
	case actTool:
		return !a.closed && !a.refused()
	case actInference:
		return !a.closed
	case actAgent:
		return a.loose && !a.closed
	}
	return false
}

// times returns when the act began and ended, as far as known. The wait for an
// answer is no part of a call that ran, unless the answer was no: then the span
// went out before it was known to run.
func (a *act) times() (start, end int64) {
	switch {
	case a.kind == actAgent:
		start, end = earliest(a.start, a.first), max(a.end, a.last)
		if a.partner != nil {
			start = earliest(a.partner.first, start)
		}
		return start, end
	case a.closed && a.refused():
		return earliest(a.start, a.first), max(a.end, a.last)
	case a.closed && a.start == a.end && a.opened && a.last < a.end:
		return a.last, a.end // no duration was stated: it began when it was let
	case a.closed:
		return a.start, a.end
	}
	return a.first, a.last
}
