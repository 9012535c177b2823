package tail

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
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
func finish(p *Policy, td ptrace.Traces, d Decision, told []evidence.StepID, dry bool) Finished {
	told = append(told[:len(told):len(told)], d.Evidence)
	stamp(td, d, dry)
	if dry && !d.Keep {
		return Finished{}
	}
	var done Finished
	done.Folded = foldLeaves(td, p.FoldAbove, told, dry)
	done.Truncated = shed(td, p.RunBytes, told, dry)
	if !dry {
		done.InvalidStates = weigh(td, d.Odds)
	}
	return done
}
