package evidence

import (
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// auditFact is a kind of fact that a later statement about the same span must
// not erase: a refusal or a stage that was once stated stays evidence.
type auditFact struct {
	key    string // the attribute that says it
	prefix string // attributes that belong to it
	event  string // the domain event that states the same inside a span
}

var auditFacts = []auditFact{
	{semconv.AppPermissionDecision, "app.permission.", semconv.EventAppToolDecided},
	{semconv.AppEffectStage, "app.effect.", semconv.EventAppEffectRecorded},
	{semconv.AppControlPhase, "app.control.", semconv.EventAppControlChanged},
}

// Superseded returns the facts that old states and that the statement which
// wins over it contradicts, as events of the span at the time old ends. What
// was inferred states nothing. Of both spans only end and attributes are read.
func Superseded(old, last Span) (out []SpanEvent) {
	guessed := old.Attrs.Strings(semconv.AppMappingInferred)
	for _, f := range auditFacts {
		was, now := old.Attrs.Str(f.key), last.Attrs.Str(f.key)
		if was == "" || now == "" || was == now || slices.Contains(guessed, f.key) {
			continue
		}
		attrs := Attrs{}
		for k, v := range old.Attrs {
			if strings.HasPrefix(k, f.prefix) || k == semconv.GenAIToolCallID || k == semconv.AppToolEffectClass {
				attrs[k] = v
			}
		}
		out = append(out, SpanEvent{Time: old.End, Name: f.event, Attrs: attrs})
	}
	return out
}
