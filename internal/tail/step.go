package tail

import "time"

// Input is what happened.
type Input interface{ input() }

// Inputs of Step.
type (
	// Reserve asks for room before a batch is taken in.
	Reserve struct {
		Bytes int64
		Last  bool // the sender waits no longer
	}
	// Arrive brings a batch for which room was given; without pieces it gives the
	// room back.
	Arrive struct {
		Pieces   []Piece
		Reserved int64
	}
	// Tick says that time passed.
	Tick struct{}
	// Drain asks for what Tick does, for all runs whether due or not, from now on.
	Drain struct{}
	// Judged is the answer to Judge.
	Judged struct {
		Job  *Job
		Hit  Decision // by the class that protects the run, if one does
		Load Load
	}
	// Delivered says that the next component took a parcel.
	Delivered struct{ Parcel *Parcel }
	// Failed says that it did not. Permanent: it never will take Spans of it, and
	// took the others.
	Failed struct {
		Parcel    *Parcel
		Permanent bool
		Spans     int
	}
	// Recovered brings a piece that an earlier process left in the log.
	Recovered struct {
		Piece   Piece
		Arrived time.Time
	}
	// Remembered brings what an earlier process decided.
	Remembered struct {
		Keys     []Key
		Decision Decision
	}
	// Stowed is the answer to Stow.
	Stowed struct{ Job *Job }
	// Back brings any number of answers to Judge, Send and Stow at once, so that
	// those who work seldom wait for the lock that guards the state.
	Back struct{ Answers []Input }
	// Abandon gives up everything, because the process ends. What is out counts as
	// gone too, unless it comes back after that.
	Abandon struct{}
)

func (Reserve) input()    {}
func (Arrive) input()     {}
func (Tick) input()       {}
func (Drain) input()      {}
func (Judged) input()     {}
func (Delivered) input()  {}
func (Failed) input()     {}
func (Recovered) input()  {}
func (Remembered) input() {}
func (Stowed) input()     {}
func (Back) input()       {}
func (Abandon) input()    {}

// Effect is what the shell has to do or to count.
type Effect interface{ effect() }

// Effects of Step. Judge and Send are work: it takes no lock, any number of
// goroutines may do it, and never more than Settings.Parallel times Settings.Handful is out.
type (
	// Granted is the room that was asked for. InMemory: pieces get a place there and
	// not only in the log.
	Granted struct{ InMemory bool }
	// Wait says that there is no room yet: it is asked for again when work that is
	// out has come back. After More it is asked for again at once.
	Wait struct{}
	// Full says that there is no room, and none to be made now.
	Full struct{}
	// Judge asks for the class of a run; the shell answers with what Hands.Judge says.
	Judge struct{ Job *Job }
	// Send asks for a parcel to be given to the next component; the shell answers
	// with Delivered or Failed.
	Send struct{ Parcel *Parcel }
	// Stow asks for a dropped run to be kept in limbo; the shell answers with Stowed.
	Stow struct{ Job *Job }
	// Note is what the log has to remember of a run.
	Note struct {
		Keys     []Key
		Decision Decision
	}
	// Gone are the pieces that the log can forget.
	Gone struct{ IDs []uint64 }
	// NotStowed says that a dropped run was not kept in limbo, for want of room or time.
	NotStowed struct{ Spans int }
	// Decided says what became of a run.
	Decided struct {
		Decision  Decision
		Trigger   Trigger
		Spans     int // 0 if only records were there
		Bytes     int64
		Late      bool   // the spans came after an earlier decision
		Reversed  bool   // that decision was to drop
		Payer     string // whose quota counts, "" without quotas
		Overruled string // rule that keeps nothing and matched, but the run is protected
	}
	// Dropped says that spans are gone.
	Dropped struct {
		Spans  int
		Reason Reason
		Payer  string // whose quota counts, "" without quotas
	}
	// More says that a step with the same input has more to do.
	More struct{}
)

func (Granted) effect()   {}
func (Wait) effect()      {}
func (Full) effect()      {}
func (Judge) effect()     {}
func (Send) effect()      {}
func (Stow) effect()      {}
func (Note) effect()      {}
func (Gone) effect()      {}
func (NotStowed) effect() {}
func (Decided) effect()   {}
func (Dropped) effect()   {}
func (More) effect()      {}

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
	ByOverflow Reason = "overflow"        // there was no room for their batch, and their sender has them elsewhere
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
		return s.reserve(in, now)
	case Arrive:
		s.reserved -= in.Reserved
		for i := range in.Pieces {
			s.arrive(&in.Pieces[i], now)
		}
	case Tick:
		return s.work(nil, now)
	case Drain:
		s.draining = true
		return s.work(nil, now)
	case Judged, Delivered, Failed, Stowed:
		return s.work(s.back(nil, in, now), now)
	case Back:
		var out []Effect
		for _, answer := range in.Answers {
			out = s.back(out, answer, now)
		}
		return s.work(out, now)
	case Recovered:
		s.recovered(&in, now)
	case Remembered:
		s.decided.remember(in.Keys, in.Decision)
	case Abandon:
		return s.abandon()
	}
	return nil
}

// work sends what waits and decides what is due, as far as hands are free.
func (s *State) work(out []Effect, now time.Time) []Effect {
	s.spillAtRest(now)
	out = s.handOut(out, now)
	for spans := 0; len(s.due) > 0; {
		r := s.due[0]
		trigger, due := s.trigger(r, now)
		if !due || r.digest.Clues.Alarm() && (!s.free() || s.onItsWay(r)) || s.limboIsBehind(r, now) {
			break
		}
		spans += r.spans + len(r.pieces)
		out = s.decide(out, r, trigger, now)
		if spans >= quota {
			return append(out, More{})
		}
	}
	return out
}

func (s *State) trigger(r *pending, now time.Time) (Trigger, bool) {
	switch {
	case r.jobs > 0:
		return "", false
	case s.draining:
		return AtShutdown, true
	case now.Before(r.deadline):
		return "", false
	case s.tooLarge(r):
		return AtMemory, true
	case now.Before(r.last.Add(s.DecisionWait)):
		return AtMaxWait, true
	}
	return AtRest, true
}

func (s *State) abandon() []Effect {
	var out []Effect
	kept := s.DiskBytes > 0 // by the log, for the next start
	for _, p := range s.outbox {
		s.release(p.pieces, p.bytes)
		if !kept {
			out = append(out, Dropped{p.Spans, ByShutdown, p.payer})
		}
	}
	for _, j := range s.shelf {
		s.release(j.pieces, j.bytes)
	}
	s.outbox, s.warmOut, s.shelf, s.shelved = nil, nil, nil, 0
	for len(s.due) > 0 {
		r := s.due[0]
		s.forget(r)
		s.release(r.pieces, r.bytes)
		if !kept {
			out = append(out, Dropped{r.spans, ByShutdown, s.Policy.payerOf(r.tenant, &r.digest)})
		}
	}
	clear(s.runs)
	if kept {
		return out
	}
	for o := range s.out {
		switch o := o.(type) {
		case *Parcel:
			out = append(out, Dropped{o.Spans, ByShutdown, o.payer})
		case *Job:
			out = append(out, Dropped{o.spans, ByShutdown, s.Policy.payerOf(o.tenant, &o.digest)})
		}
	}
	return out
}
