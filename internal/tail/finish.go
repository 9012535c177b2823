package tail

import "go.opentelemetry.io/collector/pdata/ptrace"

// finish does to a kept run what its policy asks for, in the form that goes out.
// It gives the same for the same spans, so a run that is sent again is equal. A
// dry run is not changed but stamped.
func finish(_ *Policy, td ptrace.Traces, d Decision, dry bool) Finished {
	var done Finished
	if !dry {
		done.InvalidStates = weigh(td, d.Odds)
	}
	stamp(td, d, dry)
	return done
}
