package synth

import "github.com/otelcol-agent/otelcol-agent/semconv"

// actKind says what a span stands for.
type actKind uint8

const (
	actRoot actKind = iota
	actInference
	actTool
	actAgent
	actNote
)

// rule says what a canonical event becomes. This table is the whole vocabulary
// of the package.
type rule struct {
	act     actKind
	opens   bool   // begins an act and gives no result
	closes  bool   // gives the act's end, and its start if it has a duration
	fails   bool   // the act ended in an error
	aside   bool   // a span event on the act, not a part of it
	subject string // key that names the act
	label   string // first word of a note's span name
	detail  string // key of its second word
	whole   bool   // for the root: all attributes are the turn's
}

var rules = map[string]*rule{
	semconv.EventAppTurnStarted: {act: actRoot, opens: true, whole: true},
	semconv.EventAppTurnEnded:   {act: actRoot, closes: true, whole: true},
	semconv.EventAppTaskStarted: {act: actRoot, whole: true},

	semconv.EventAppInferenceCompleted: {act: actInference, closes: true},
	semconv.EventAppInferenceFailed:    {act: actInference, closes: true, fails: true},
	semconv.EventAppInferenceRetried:   {act: actInference, aside: true},

	semconv.EventAppToolStarted:   {act: actTool, opens: true, subject: semconv.GenAIToolName},
	semconv.EventAppToolDecided:   {act: actTool, opens: true, subject: semconv.GenAIToolName},
	semconv.EventAppToolCompleted: {act: actTool, closes: true, subject: semconv.GenAIToolName},
	semconv.EventAppToolFailed:    {act: actTool, closes: true, fails: true, subject: semconv.GenAIToolName},

	semconv.EventAppAgentStarted: {act: actAgent, opens: true, subject: semconv.GenAIAgentName},
	semconv.EventAppAgentEnded:   {act: actAgent, closes: true, subject: semconv.GenAIAgentName},

	semconv.EventAppTaskSubmitted:      {act: actNote, label: "submit task"},
	semconv.EventAppTaskEnded:          {act: actNote, label: "end task", detail: semconv.AppOutcome},
	semconv.EventAppEffectRecorded:     {act: actNote, label: "effect", detail: semconv.AppEffectStage},
	semconv.EventAppControlChanged:     {act: actNote, label: "control", detail: semconv.AppControlKind},
	semconv.EventAppExtensionUsed:      {act: actNote, label: "extension", detail: semconv.AppExtensionKind},
	semconv.EventAppProtocolNegotiated: {act: actNote, label: "negotiate", detail: semconv.AppProtocolName},
	semconv.EventAppArtifactProduced:   {act: actNote, label: "artifact"},
	semconv.EventAppHandoffRecorded:    {act: actNote, label: "handoff", detail: semconv.AppHandoffTo},
}

// inferenceOperations are the operations that a record may state for a call to
// a model; any other one is read as chat.
var inferenceOperations = map[string]bool{
	semconv.GenAIOperationNameChat:            true,
	semconv.GenAIOperationNameGenerateContent: true,
	semconv.GenAIOperationNameTextCompletion:  true,
	semconv.GenAIOperationNameEmbeddings:      true,
}
