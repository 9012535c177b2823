package tail

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Parcel is the spans of a decided run that the next component has not taken.
type Parcel struct {
	Decision Decision
	Spans    int
	payer    string
	told     bool // what was done to it, when it was tried before
	waits    bool // in the outbox
	pieces   []held
	bytes    int64
	records  []evidence.StepID // spans that records tell of
	loaded   ptrace.Traces     // nothing unless it was judged just before
}

// conclude makes a decision on a job known, and does with its pieces what was decided.
func (s *State) conclude(out []Effect, j *Job, d verdict, l Load, now time.Time) []Effect {
	r := j.run.root()
	r.jobs--
	if j.spans == 0 && j.prior == nil && !d.Protected() {
		out = s.drop(out, j.pieces, j.bytes) // there was nothing to decide on; spans that come start anew
		return s.close(out, r)
	}
	if r.prior != j.prior { // another part of the run was decided meanwhile
		both := better(*r.prior, d.Decision)
		r.prior = &both
	} else {
		r.prior = &d.Decision
	}
	out = s.close(out, r)
	s.learn(j, &d, now)
	out = append(out, Decided{Decision: d.Decision, Trigger: j.trigger, Spans: j.spans, Bytes: j.data(), Payer: d.payer, Overruled: d.overruled,
		Late: j.prior != nil, Reversed: j.prior != nil && !j.prior.Keep && d.Keep})
	if l.Lost > 0 {
		out = append(out, Dropped{l.Lost, ByDamage, d.payer})
	}
	spans := j.spans - l.Lost
	if spans+j.recalled == 0 || !d.Keep && !s.DryRun {
		if spans > 0 {
			out = append(out, Dropped{spans, reasonOf(j, &d), d.payer})
		}
		if s.Limbo && spans > 0 {
			s.shelve(j)
			return s.handOut(out, now)
		}
		return s.drop(out, j.pieces, j.bytes)
	}
	j.bytes -= j.digest.weight() // it is not needed any more
	s.bytes -= j.digest.weight()
	p := &Parcel{Decision: d.Decision, Spans: spans + j.recalled, payer: d.payer, pieces: j.pieces, bytes: j.bytes, records: l.told(), loaded: l.Traces}
	out = s.leaveRecords(out, p)
	if !s.canSend(now) || !s.free() {
		p.loaded = ptrace.Traces{}
		s.outbox = append(s.outbox, p)
		s.wait(p)
		return out
	}
	return append(out, s.send(p))
}

// close ends a run of which nothing is left; what was decided is remembered.
func (s *State) close(out []Effect, r *pending) []Effect {
	if r.prior != nil {
		s.decided.remember(r.keys, *r.prior)
		if s.DiskBytes > 0 {
			out = append(out, Note{r.keys[:len(r.keys):len(r.keys)], *r.prior})
		}
	}
	if r.queued() {
		s.touch(r) // what came meanwhile is due as ever
	}
	if r.queued() || r.jobs > 0 {
		return out
	}
	for _, k := range r.keys {
		delete(s.runs, k)
	}
	s.bytes -= r.bytes
	r.bytes = 0
	return out
}

// drop gives back what pieces take in memory and in the log.
func (s *State) drop(out []Effect, pieces []held, bytes int64) []Effect {
	s.release(pieces, bytes)
	if s.DiskBytes == 0 {
		return out
	}
	gone := Gone{make([]uint64, 0, len(pieces))}
	for _, p := range pieces {
		s.disk -= p.disk()
		if p.id != 0 {
			gone.IDs = append(gone.IDs, p.id)
		}
	}
	return append(out, gone)
}

// release gives back memory only.
func (s *State) release(pieces []held, bytes int64) {
	for _, p := range pieces {
		s.Arena.Free(p.block)
	}
	s.bytes -= bytes
}

// leave counts pieces that are out, and so may soon be gone.
func (s *State) leave(pieces []held, sign int64) {
	for _, p := range pieces {
		if s.DiskBytes > 0 {
			s.leaving += sign * p.disk()
		} else {
			s.leaving += sign * (p.block.Held() + pieceOverhead)
		}
	}
}

// leaveRecords: records have been passed on when they arrived.
func (s *State) leaveRecords(out []Effect, p *Parcel) []Effect {
	p.pieces = slices.DeleteFunc(p.pieces, func(h held) bool {
		if h.records == 0 {
			return false
		}
		n := h.block.Held() + pieceOverhead
		p.bytes -= n
		out = s.drop(out, []held{h}, n)
		return true
	})
	return out
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

func (s *State) delivered(out []Effect, p *Parcel) []Effect {
	s.inFlight--
	delete(s.out, p)
	s.leave(p.pieces, -1)
	s.backoff = 0
	return s.drop(out, p.pieces, p.bytes)
}

// failed keeps the parcel for another try, before those that waited behind it.
func (s *State) failed(out []Effect, in *Failed, now time.Time) []Effect {
	p := in.Parcel
	s.inFlight--
	delete(s.out, p)
	s.leave(p.pieces, -1)
	if in.Permanent {
		return s.drop(append(out, Dropped{in.Spans, ByRefusal, p.payer}), p.pieces, p.bytes)
	}
	s.outbox = append([]*Parcel{p}, s.outbox...)
	s.wait(p)
	if now.Before(s.retryAt) {
		return out // it was out when another one failed
	}
	s.backoff = min(max(2*s.backoff, s.RetryMin), s.RetryMax)
	s.retryAt = now.Add(s.backoff)
	return out
}
