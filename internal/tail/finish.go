package tail

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Finished says what was done to a run on its way out, or in a dry run would have
// been.
type Finished struct {
	Folded        int // spans that another one stands for
	Truncated     int // spans that lost content
	InvalidStates int // spans whose trace state had a threshold that is not valid
}

// finish does to a kept run what its policy asks for, in the form that goes out.
// It gives the same for the same spans, so a run that is sent again is equal. A
// dry run is not changed but stamped. told are spans that records tell of.
func finish(p *Policy, td ptrace.Traces, d Decision, told []evidence.StepID, dry bool) (done Finished) {
	told = append(told[:len(told):len(told)], d.Evidence)
	stamp(td, d, dry)
	if dry {
		if d.Keep {
			done = rehearse(p, td, d, told)
		}
		return done
	}
	done.Folded, _ = foldLeaves(td, p.FoldAbove, told)
	done.Truncated = len(shed(td, p.RunBytes, told))
	done.InvalidStates = weigh(td, d.Odds)
	return done
}

// rehearse does it to a copy, and notes on the spans what became of theirs.
func rehearse(p *Policy, td ptrace.Traces, d Decision, told []evidence.StepID) (done Finished) {
	spans := ptrace.NewTraces()
	td.CopyTo(spans)
	stamp(spans, d, false)
	gone, folded := foldLeaves(spans, p.FoldAbove, told)
	truncated := shed(spans, p.RunBytes, told)
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if folded[idOf(span)] {
					would(span, semconv.AppSamplingWouldFold)
				}
				if truncated[idOf(span)] {
					would(span, semconv.AppSamplingWouldTruncate)
				}
			}
		}
	}
	return Finished{Folded: gone, Truncated: len(truncated)}
}

// would notes on a span what a dry run does not do.
func would(span ptrace.Span, what string) {
	v, ok := span.Attributes().Get(semconv.AppSamplingWould)
	if !ok {
		v = span.Attributes().PutEmpty(semconv.AppSamplingWould)
		v.SetEmptySlice()
	}
	v.Slice().AppendEmpty().SetStr(what)
}
