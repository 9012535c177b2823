package tail

import (
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Input is what happened.
type Input interface{ input() }

// Inputs of Step.
type (
	// Reserve asks for room before a batch is taken in.
	Reserve struct{ Bytes int64 }
	// Arrive brings a batch for which room was given; without pieces it gives the
	// room back.
	Arrive struct {
		Pieces   []Piece
		Reserved int64
	}
	// Tick says that time passed.
	Tick struct{}
	// Drain asks for what Tick does, for all runs whether due or not.
	Drain struct{}
	// Delivered says that the next component took a parcel.
	Delivered struct{ Parcel *Parcel }
	// Failed says that it did not. Permanent: it never will.
	Failed struct {
		Parcel    *Parcel
		Permanent bool
	}
	// Abandon gives up everything, because the process ends.
	Abandon struct{}
)

func (Reserve) input()   {}
func (Arrive) input()    {}
func (Tick) input()      {}
func (Drain) input()     {}
func (Delivered) input() {}
func (Failed) input()    {}
func (Abandon) input()   {}

// Effect is what the shell has to do or to count.
type Effect interface{ effect() }

// Effects of Step.
type (
	// Granted is the room that was asked for.
	Granted struct{}
	// Full says that there is no room, and none to be made now.
	Full struct{}
	// Send gives a parcel to the next component; the shell answers with
	// Delivered or Failed. A step has at most one.
	Send struct {
		Parcel *Parcel
		Traces ptrace.Traces
	}
	// Decided says what became of a run.
	Decided struct {
		Decision  Decision
		Trigger   Trigger
		Spans     int // 0 if only records were there
		Bytes     int64
		Late      bool   // the spans came after an earlier decision
		Reversed  bool   // that decision was to drop
		Tenant    string // whose quota counts, if there are quotas
		Overruled string // rule that keeps nothing and matched, but the run is protected
	}
	// Dropped says that spans are gone.
	Dropped struct {
		Spans  int
		Reason Reason
		Tenant string // whose quota counts, if there are quotas
	}
	// Finished says what was done to a run on its way out, or in a dry run would
	// have been.
	Finished struct {
		Folded        int // spans that another one stands for
		Truncated     int // spans that lost content
		InvalidStates int // spans whose trace state had a threshold that is not valid
	}
	// More says that a step with the same input has more to do.
	More struct{}
)

func (Granted) effect()  {}
func (Full) effect()     {}
func (Send) effect()     {}
func (Decided) effect()  {}
func (Dropped) effect()  {}
func (Finished) effect() {}
func (More) effect()     {}

// Trigger is what made a decision due; the list is closed.
type Trigger string

// Triggers of a decision.
const (
	AtRest     Trigger = "rest"
	AtMaxWait  Trigger = "max_wait"
	AtMemory   Trigger = "memory"
	AtShutdown Trigger = "shutdown"
)

// Reason is why spans are gone; the list is closed.
type Reason string

// Reasons of a drop.
const (
	ByBaseline Reason = "baseline"        // outside the share of ordinary runs
	ByRule     Reason = "rule"            // outside the share of a rule
	ByQuota    Reason = "quota"           // above the quota of the tenant
	ByPrior    Reason = "late"            // of a run that was dropped before
	ByDamage   Reason = "undecodable"     // their encoding, nested too deep for one, does not decode
	ByRefusal  Reason = "permanent_error" // the next component will never take them
	ByShutdown Reason = "shutdown"        // the next component did not take them in time
)

// quota bounds the spans and pieces that one step decides, and so how long a lock is held.
const quota = 2048

// Step changes the state by one input and returns what follows from it. now must
// not go back.
func Step(s *State, in Input, now time.Time) []Effect {
	switch in := in.(type) {
	case Reserve:
		return s.reserve(in.Bytes, now)
	case Arrive:
		s.reserved -= in.Reserved
		for _, p := range in.Pieces {
			s.arrive(p, now)
		}
	case Tick:
		return s.work(now, func(r *pending) (Trigger, bool) {
			if now.Before(r.deadline) {
				return "", false
			}
			if now.Before(r.last.Add(s.DecisionWait)) {
				return AtMaxWait, true
			}
			return AtRest, true
		})
	case Drain:
		return s.work(now, func(*pending) (Trigger, bool) { return AtShutdown, true })
	case Delivered:
		s.delivered(in.Parcel)
	case Failed:
		return s.failed(in.Parcel, in.Permanent, now)
	case Abandon:
		return s.abandon()
	}
	return nil
}

// work sends what waits, else decides what is due until there is one to send.
func (s *State) work(now time.Time, due func(*pending) (Trigger, bool)) []Effect {
	if send := s.sendWaiting(now); send != nil {
		return append(send, More{})
	}
	var out []Effect
	for spans := 0; len(s.due) > 0; {
		r := s.due[0]
		trigger, ok := due(r)
		if !ok {
			return out
		}
		spans += r.spans + len(r.pieces)
		var sent bool
		if out, sent = s.decide(out, r, trigger, now); sent || spans >= quota {
			return append(out, More{})
		}
	}
	return out
}

func (s *State) abandon() []Effect {
	var out []Effect
	for _, p := range s.outbox {
		s.bytes -= p.bytes
		out = append(out, Dropped{p.Spans, ByShutdown, p.Tenant})
	}
	s.outbox = nil
	for len(s.due) > 0 {
		r := s.due[0]
		s.forget(r)
		s.bytes -= r.bytes
		out = append(out, Dropped{r.spans, ByShutdown, s.Policy.owner(r.tenant)})
	}
	clear(s.runs)
	return out
}
