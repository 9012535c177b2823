package tail

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// stamp writes on every span why its run was kept, and takes away what an
// earlier sampler wrote of that. In a dry run it also says what would have been.
func stamp(td ptrace.Traces, d Decision, dry bool) {
	var proof string
	if !d.Evidence.IsZero() {
		proof = d.Evidence.String()
	}
	what := ""
	if dry {
		what = semconv.AppSamplingDecisionDrop
		if d.Keep {
			what = semconv.AppSamplingDecisionKeep
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				put(span, semconv.AppSamplingClass, d.Class)
				put(span, semconv.AppSamplingRule, d.Rule)
				put(span, semconv.AppSamplingEvidence, proof)
				put(span, semconv.AppSamplingDecision, what)
				span.Attributes().Remove(semconv.AppSamplingWould)
				span.Attributes().Remove(semconv.AppSamplingIncomplete)
				if d.Incomplete {
					span.Attributes().PutBool(semconv.AppSamplingIncomplete, true)
				}
			}
		}
	}
}

// recovered marks spans that come out of limbo, and encodes them.
func recovered(td ptrace.Traces) ([]byte, error) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				span.Attributes().PutBool(semconv.AppSamplingRecovered, true)
			}
		}
	}
	var m ptrace.ProtoMarshaler
	return m.MarshalTraces(td)
}

func put(span ptrace.Span, key, value string) {
	if value == "" {
		span.Attributes().Remove(key)
		return
	}
	span.Attributes().PutStr(key, value)
}
