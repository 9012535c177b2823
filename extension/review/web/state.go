package web

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// State is a closed word with its sign and tone; the sign tells it apart without
// colour.
type State struct{ Word, Sign, Tone string }

var states = map[string]State{
	semconv.AppOutcomeCompleted:         {"completed", "✓", "good"},
	semconv.AppOutcomeFailed:            {"failed", "✕", "bad"},
	semconv.AppOutcomeCancelled:         {"cancelled", "■", "odd"},
	semconv.AppOutcomeUnknown:           {"unknown", "?", "odd"},
	evidence.OutcomeRunning:             {"running", "…", "note"},
	"":                                  {"nothing", "–", "dim"},
	evidence.EffectConfirmed:            {"confirmed", "✓", "good"},
	evidence.EffectReported:             {"reported", "○", "odd"},
	evidence.EffectNeverSent:            {"never sent", "–", "dim"},
	evidence.EffectCompensated:          {"compensated", "↺", "good"},
	semconv.AppVerifierVerdictPass:      {"pass", "✓", "good"},
	semconv.AppVerifierVerdictFail:      {"fail", "✕", "bad"},
	semconv.AppPermissionDecisionAllow:  {"allow", "◆", "good"},
	semconv.AppPermissionDecisionDeny:   {"deny", "⊘", "odd"},
	semconv.AppPermissionDecisionAbort:  {"abort", "⊘", "odd"},
	semconv.AppPermissionDecisionAsk:    {"ask", "◇", "note"},
	semconv.AppPermissionDecisionModify: {"modify", "◈", "note"},
	evidence.Answered:                   {"answered", "✓", "good"},
	evidence.Partly:                     {"partly", "◐", "odd"},
	evidence.Missing:                    {"missing", "✕", "bad"},
	evidence.ResultStep:                 {"step", "▶", "bad"},
	evidence.ResultClean:                {"clean", "✓", "good"},
	evidence.StrengthProved:             {"proved", "■", "bad"},
	evidence.StrengthLikely:             {"likely", "◧", "odd"},
}

// longestWord is how much of a word that is not one of ours is shown.
const longestWord = 48

// stateOf shows a word that is not one of ours as it is.
func stateOf(word string) State {
	if s, ok := states[word]; ok {
		return s
	}
	return State{listing.Cut(word, longestWord), "•", "dim"}
}
