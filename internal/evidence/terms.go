package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// TermKind is what a run can be searched by, beside its task and trace ids.
type TermKind string

// Kinds of terms; TermKinds has them all.
const (
	TermSession  TermKind = "session"
	TermToolCall TermKind = "tool_call"
	TermArtifact TermKind = "artifact"
	TermEffect   TermKind = "effect"
	TermReceipt  TermKind = "receipt"
	TermDecision TermKind = "decision"
	TermAgent    TermKind = "agent"
	TermTool     TermKind = "tool"
)

// TermKinds returns all kinds.
func TermKinds() []TermKind {
	return []TermKind{TermSession, TermToolCall, TermArtifact, TermEffect, TermReceipt, TermDecision, TermAgent, TermTool}
}

// TermKeys are the attributes whose values are terms, by kind.
var TermKeys = map[TermKind][]string{
	TermSession:  {semconv.AppSessionID, semconv.GenAIConversationID},
	TermToolCall: {semconv.GenAIToolCallID},
	TermArtifact: {semconv.AppArtifactID, semconv.AppArtifactHash},
	TermEffect:   {semconv.AppEffectID, semconv.AppEffectIdempotencyKey},
	TermReceipt:  {semconv.AppEffectReceiptID},
	TermDecision: {semconv.AppPermissionDecisionID},
	TermAgent:    {semconv.GenAIAgentName, semconv.AppHarnessName},
	TermTool:     {semconv.GenAIToolName},
}

var described = map[TermKind]string{
	TermSession:  "session or conversation",
	TermToolCall: "tool call, by id",
	TermArtifact: "artifact, by id or hash",
	TermEffect:   "effect, by id or idempotency key",
	TermReceipt:  "receipt of an effect",
	TermDecision: "decision, by id",
	TermAgent:    "agent or harness",
	TermTool:     "tool",
}

// Described is what a term of the kind names, for people: it stands behind "this".
func (k TermKind) Described() string { return described[k] }

// NamesStep reports whether the term is of one step, or of few, rather than of many.
func (k TermKind) NamesStep() bool {
	switch k {
	case TermToolCall, TermArtifact, TermEffect, TermReceipt, TermDecision:
		return true
	}
	return false
}

// Term is a word that spans or records of a run state.
type Term struct {
	Kind TermKind `json:"kind"`
	Text string   `json:"text"`
}

// EachTerm calls yield for every term that the span states: in its attributes, or by
// an effect or a decision in one of its events.
func (s *Span) EachTerm(yield func(Term)) {
	eachTerm(s.Attrs, yield)
	if len(s.Events) > 0 {
		eachTermOfEvents(s, yield)
	}
}

func eachTermOfEvents(s *Span, yield func(Term)) {
	f := FactsOfEvents(s)
	for i := range f.Effects {
		e := &f.Effects[i]
		if !e.Derived {
			yieldText(TermEffect, e.EffectID, yield)
		}
		yieldText(TermEffect, e.IdempotencyKey, yield)
		yieldText(TermReceipt, e.ReceiptID, yield)
	}
	for i := range f.Decisions {
		if d := &f.Decisions[i]; !d.Derived {
			yieldText(TermDecision, d.ID, yield)
		}
	}
}

// EachTerm calls yield for every term that the record's attributes state.
func (r *Record) EachTerm(yield func(Term)) { eachTerm(r.Attrs, yield) }

func eachTerm(a Attrs, yield func(Term)) {
	if len(a) == 0 {
		return
	}
	for _, kind := range TermKinds() {
		for _, key := range TermKeys[kind] {
			yieldText(kind, a.Str(key), yield)
		}
	}
}

func yieldText(kind TermKind, text string, yield func(Term)) {
	if text != "" {
		yield(Term{kind, text})
	}
}

// States reports whether the span states the term.
func (s *Span) States(t Term) (found bool) {
	if t.in(s.Attrs) || len(s.Events) == 0 {
		return t.in(s.Attrs)
	}
	eachTermOfEvents(s, func(own Term) { found = found || own == t })
	return found
}

// States reports whether the record states the term.
func (r *Record) States(t Term) bool { return t.in(r.Attrs) }

// States reports whether a span or a record of the run states the term.
func (r *Run) States(t Term) bool {
	for i := range r.Spans {
		if r.Spans[i].States(t) {
			return true
		}
	}
	return slices.ContainsFunc(r.Records, func(rec Record) bool { return rec.States(t) })
}

func (t Term) in(a Attrs) bool {
	return t.Text != "" && slices.ContainsFunc(TermKeys[t.Kind], func(key string) bool { return a.Str(key) == t.Text })
}
