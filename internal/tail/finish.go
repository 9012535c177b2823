package tail

import "go.opentelemetry.io/collector/pdata/ptrace"

// Finished says what was done to a run on its way out, or in a dry run would have
// been.
type Finished struct {
	Folded        int // spans that another one stands for
	Truncated     int // spans that lost content
	InvalidStates int // spans whose trace state had a threshold that is not valid
}

// finish does to a kept run what its policy asks for, in the form that goes out.
// It gives the same for the same spans, so a run that is sent again is equal. A
// dry run is not changed but stamped.
func finish(p *Policy, td ptrace.Traces, d Decision, dry bool) Finished {
	stamp(td, d, dry)
	if dry && !d.Keep {
		return Finished{}
	}
	var done Finished
	done.Folded = foldLeaves(td, p.FoldAbove, d.Evidence, dry)
	done.Truncated = shed(td, p.RunBytes, d.Evidence, dry)
	if !dry {
		done.InvalidStates = weigh(td, d.Odds)
	}
	return done
}
