package evidence

// decisionBook finds the decision that another statement repeats, without
// looking through all of them.
type decisionBook map[page]decisionSlot

// page is where statements of one decision meet: a stated id, a call or a step,
// with the answer and the decider.
type page struct {
	kind    pageKind
	id      string // decision or tool call
	step    StepID // or only its trace
	time    int64
	verdict string
	by      string
}

type pageKind uint8

const (
	byID         pageKind = iota + 1
	byCall                // in one trace, or in none
	byAnyCall             // in any trace
	byStep                // any statement in the context of the step
	bySpanItself          // what the step states itself
	byTime                // a record in the context of the step
)

type decisionSlot struct {
	any     *decision // first one
	derived *decision // first one that states no id
}

// anyone stands for whoever decided.
const anyone = "\x00"

// stored returns the pages that a decision without regard to its id is found on.
func (d *decision) stored() [2]page {
	switch {
	case d.ToolCallID != "" && d.Step.Trace != (TraceID{}):
		return [2]page{d.callPage(d.Step.Trace), {kind: byAnyCall, id: d.ToolCallID}}
	case d.ToolCallID != "":
		return [2]page{d.callPage(TraceID{})}
	case d.at == nil:
		return [2]page{}
	case d.aboutStep():
		return [2]page{d.stepPage(byStep), d.stepPage(bySpanItself)}
	}
	return [2]page{d.stepPage(byStep), d.timePage()}
}

// sought returns the pages on which another statement of a decision may stand.
func (d *decision) sought() [2]page {
	switch {
	case d.ToolCallID != "" && d.Step.Trace != (TraceID{}):
		return [2]page{d.callPage(d.Step.Trace), d.callPage(TraceID{})}
	case d.ToolCallID != "":
		return [2]page{d.callPage(TraceID{}), {kind: byAnyCall, id: d.ToolCallID}}
	case d.at == nil:
		return [2]page{}
	case d.aboutStep():
		return [2]page{d.stepPage(byStep)}
	}
	// Two records in one context that name no call may mean two intents.
	return [2]page{d.stepPage(bySpanItself), d.timePage()}
}

// aboutStep reports whether the context of the decision is what it is about.
func (d *decision) aboutStep() bool { return d.bySpan || d.at.isCall() }

func (d *decision) callPage(trace TraceID) page {
	return page{kind: byCall, id: d.ToolCallID, step: StepID{Trace: trace}}
}

func (d *decision) stepPage(kind pageKind) page { return page{kind: kind, step: d.at.span.ID} }

func (d *decision) timePage() page {
	p := d.stepPage(byTime)
	p.time = d.Time
	return p
}

func (p page) of(d *decision, by string) page {
	p.verdict, p.by = d.Verdict, by
	return p
}

func (d *decision) idPage() page { return page{kind: byID, id: d.ID}.of(d, "") }

func (b decisionBook) add(d *decision) {
	if !d.Derived {
		b.put(d.idPage(), d)
	}
	for _, p := range d.stored() {
		if p.kind != 0 {
			b.put(p.of(d, d.DecidedBy), d)
			b.put(p.of(d, anyone), d)
		}
	}
}

func (b decisionBook) put(p page, d *decision) {
	s := b[p]
	if s.any == nil {
		s.any = d
	}
	if s.derived != nil && !s.derived.Derived {
		s.derived = nil
	}
	if s.derived == nil && d.Derived {
		s.derived = d
	}
	b[p] = s
}

func (b decisionBook) match(d *decision) *decision {
	if !d.Derived {
		if s := b[d.idPage()]; s.any != nil {
			return s.any
		}
	}
	who := [2]string{d.DecidedBy, ""}
	if d.DecidedBy == "" {
		who[1] = anyone
	}
	for _, p := range d.sought() {
		if p.kind == 0 {
			continue
		}
		for _, by := range who {
			s := b[p.of(d, by)]
			if d.Derived && s.any != nil {
				return s.any
			}
			// Of two statements that both state an id, the id decides.
			if s.derived != nil && s.derived.Derived {
				return s.derived
			}
		}
	}
	return nil
}
