package tail

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Parcel is the spans of a decided run that the next component has not taken.
type Parcel struct {
	Decision Decision
	Spans    int
	payer    string
	told     bool // what was done to it, when it was tried before
	pieces   []held
	bytes    int64
	loaded   ptrace.Traces // nothing unless it was judged just before
}

// conclude makes a decision on a job known, and does with its pieces what was decided.
func (s *State) conclude(out []Effect, j *Job, d verdict, l Load, now time.Time) []Effect {
	r := j.run.root()
	r.jobs--
	if j.spans == 0 && j.prior == nil && !d.Protected() {
		s.drop(j.pieces, j.bytes) // there was nothing to decide on; spans that come start anew
		s.close(r)
		return out
	}
	if r.prior != j.prior { // another part of the run was decided meanwhile
		both := better(*r.prior, d.Decision)
		r.prior = &both
	} else {
		r.prior = &d.Decision
	}
	s.close(r)
	s.learn(j, &d, now)
	out = append(out, Decided{Decision: d.Decision, Trigger: j.trigger, Spans: j.spans, Bytes: j.data(), Payer: d.payer, Overruled: d.overruled,
		Late: j.prior != nil, Reversed: j.prior != nil && !j.prior.Keep && d.Keep})
	if l.Lost > 0 {
		out = append(out, Dropped{l.Lost, ByDamage, d.payer})
	}
	spans := j.spans - l.Lost
	if spans == 0 || !d.Keep && !s.DryRun {
		s.drop(j.pieces, j.bytes)
		if spans > 0 {
			out = append(out, Dropped{spans, reasonOf(j, &d), d.payer})
		}
		return out
	}
	p := &Parcel{Decision: d.Decision, Spans: spans, payer: d.payer, pieces: j.pieces, bytes: j.bytes, loaded: l.Traces}
	s.leaveRecords(p)
	if !s.canSend(now) || s.busy() >= s.Parallel {
		p.loaded = ptrace.Traces{}
		s.outbox = append(s.outbox, p)
		return out
	}
	return append(out, s.send(p))
}

// close ends a run of which nothing is left; what was decided is remembered.
func (s *State) close(r *pending) {
	if r.queued() || r.jobs > 0 {
		return
	}
	if r.prior != nil {
		s.decided.remember(r.keys, *r.prior)
	}
	for _, k := range r.keys {
		delete(s.runs, k)
	}
	s.bytes -= r.bytes
	r.bytes = 0
}

// drop gives back the memory of pieces.
func (s *State) drop(pieces []held, bytes int64) {
	for _, p := range pieces {
		s.Arena.Free(p.block)
	}
	s.bytes -= bytes
}

// leaveRecords: records have been passed on when they arrived.
func (s *State) leaveRecords(p *Parcel) {
	p.pieces = slices.DeleteFunc(p.pieces, func(h held) bool {
		if h.records == 0 {
			return false
		}
		n := h.block.Held() + pieceOverhead
		p.bytes -= n
		s.drop([]held{h}, n)
		return true
	})
}

func reasonOf(j *Job, d *verdict) Reason {
	switch {
	case j.prior != nil:
		return ByPrior
	case d.kept:
		return ByQuota
	case d.Rule == RuleBaseline:
		return ByBaseline
	}
	return ByRule
}

// canSend: after a failure one parcel at a time tries, and only when its wait is over.
func (s *State) canSend(now time.Time) bool {
	return s.backoff == 0 || (s.inFlight == 0 && !now.Before(s.retryAt))
}

func (s *State) send(p *Parcel) Send {
	s.inFlight++
	s.leaving += p.bytes
	return Send{p}
}

func (s *State) sendWaiting(out []Effect, now time.Time) []Effect {
	n := 0
	for n < len(s.outbox) && s.canSend(now) && s.busy() < s.Parallel {
		out = append(out, s.send(s.outbox[n]))
		s.outbox[n] = nil
		n++
	}
	s.outbox = s.outbox[n:]
	return out
}

func (s *State) delivered(p *Parcel) {
	s.inFlight--
	s.leaving -= p.bytes
	s.drop(p.pieces, p.bytes)
	s.backoff = 0
}

// failed keeps the parcel for another try, before those that waited behind it.
func (s *State) failed(p *Parcel, permanent bool, now time.Time) []Effect {
	s.inFlight--
	s.leaving -= p.bytes
	if permanent {
		s.drop(p.pieces, p.bytes)
		return []Effect{Dropped{p.Spans, ByRefusal, p.payer}}
	}
	s.outbox = append([]*Parcel{p}, s.outbox...)
	s.backoff = min(max(2*s.backoff, s.RetryMin), s.RetryMax)
	s.retryAt = now.Add(s.backoff)
	return nil
}
