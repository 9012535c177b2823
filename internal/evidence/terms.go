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
	TermAgent    TermKind = "agent"
	TermTool     TermKind = "tool"
)

// TermKinds returns all kinds.
func TermKinds() []TermKind {
	return []TermKind{TermSession, TermToolCall, TermArtifact, TermAgent, TermTool}
}

// TermKeys are the attributes whose values are terms, by kind.
var TermKeys = map[TermKind][]string{
	TermSession:  {semconv.AppSessionID, semconv.GenAIConversationID},
	TermToolCall: {semconv.GenAIToolCallID},
	TermArtifact: {semconv.AppArtifactID, semconv.AppArtifactHash},
	TermAgent:    {semconv.GenAIAgentName, semconv.AppHarnessName},
	TermTool:     {semconv.GenAIToolName},
}

// Term is a word that spans or records of a run state.
type Term struct {
	Kind TermKind `json:"kind"`
	Text string   `json:"text"`
}

// In reports whether attributes state the term.
func (t Term) In(a Attrs) bool {
	return t.Text != "" && slices.ContainsFunc(TermKeys[t.Kind], func(key string) bool { return a.Str(key) == t.Text })
}

// EachTerm calls yield for every term that attributes state.
func EachTerm(a Attrs, yield func(Term)) {
	for _, kind := range TermKinds() {
		for _, key := range TermKeys[kind] {
			if text := a.Str(key); text != "" {
				yield(Term{kind, text})
			}
		}
	}
}

// States reports whether a span or a record of the run states the term.
func (r *Run) States(t Term) bool {
	return slices.ContainsFunc(r.Spans, func(s Span) bool { return t.In(s.Attrs) }) ||
		slices.ContainsFunc(r.Records, func(rec Record) bool { return t.In(rec.Attrs) })
}
