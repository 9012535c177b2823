package tail

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Parcel is the spans of a decided run that the next component has not taken.
type Parcel struct {
	Decision Decision
	Spans    int
	Tenant   string // whose quota counts, if there are quotas
	pieces   []encoded
	bytes    int64
	counted  bool // what was done to it, when it was sent before
}

// load decodes the pieces of a run, with spans of one id merged. lost counts the
// spans of pieces that do not decode.
func load(pieces []encoded) (td ptrace.Traces, records []evidence.Record, lost int) {
	td = ptrace.NewTraces()
	var u ptrace.ProtoUnmarshaler
	for _, p := range pieces {
		if p.records > 0 {
			records = append(records, loadRecords(p.data)...)
			continue
		}
		part, err := u.UnmarshalTraces(p.data)
		if err != nil {
			lost += p.spans
			continue
		}
		part.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	mergeSpans(td)
	return td, records, lost
}

// loadRecords returns nothing if the records do not decode: nested too deep for
// their own encoding, they have been passed on all the same.
func loadRecords(data []byte) []evidence.Record {
	var u plog.ProtoUnmarshaler
	ld, err := u.UnmarshalLogs(data)
	if err != nil {
		return nil
	}
	return evidence.FromLogs(ld)
}

// judged is what came of a look at a run.
type judged struct {
	Decision
	wish
	tenant    string // whose quota counts
	parts     []Part
	overruled string // rule that keeps nothing, had the run not been protected
}

func (s *State) judge(r *pending, td ptrace.Traces, records []evidence.Record, now time.Time) (j judged) {
	run := Run{Rows: evidence.Run{Tenant: r.tenant, Spans: evidence.FromTraces(td), Records: records}, Traces: td, Prior: r.prior}
	if s.Policy.Slow != nil {
		run.Parts = partsOf(&run.Rows)
	}
	if s.Policy.Quotas != nil {
		j.tenant = s.Policy.payer(run)
		run.Cut = 1 - s.Policy.Quotas.Left(j.tenant, now)
	}
	j.parts = run.Parts
	j.Decision, j.wish = decide(&s.Policy, run)
	if j.Protected() {
		j.overruled = s.Policy.overruled(s.Policy.match(td))
	}
	return j
}

// learn tells the parts of the policy that remember.
func (s *State) learn(r *pending, j *judged, now time.Time) {
	if s.Policy.Slow != nil {
		s.Policy.Slow.Observe(j.parts)
	}
	if s.Policy.Quotas != nil && !j.Protected() && r.spans > 0 {
		s.Policy.Quotas.Note(j.tenant, r.spans, r.bytes, j.share, j.Keep, now)
	}
}

// decide takes a run out of the pending ones. It is sent at once if it is kept
// and the next component takes parcels.
func (s *State) decide(out []Effect, r *pending, trigger Trigger, now time.Time) (effects []Effect, sent bool) {
	td, records, lost := load(r.pieces)
	return s.conclude(out, r, td, lost, s.judge(r, td, records, now), trigger, now)
}

func (s *State) conclude(out []Effect, r *pending, td ptrace.Traces, lost int, d judged, trigger Trigger, now time.Time) ([]Effect, bool) {
	s.forget(r)
	for _, k := range r.keys {
		delete(s.runs, k)
	}
	s.bytes -= r.bytes
	if r.spans == 0 && r.prior == nil && !d.Protected() {
		return out, false // there was nothing to decide on; spans that come start anew
	}
	s.decided.remember(r.keys, d.Decision)
	s.learn(r, &d, now)
	out = append(out, Decided{Decision: d.Decision, Trigger: trigger, Spans: r.spans, Bytes: r.bytes, Tenant: d.tenant, Overruled: d.overruled,
		Late: r.prior != nil, Reversed: r.prior != nil && !r.prior.Keep && d.Keep})
	if lost > 0 {
		out = append(out, Dropped{lost, ByDamage, d.tenant})
	}
	if r.spans == lost {
		return out, false
	}
	if !d.Keep && !s.DryRun {
		return append(out, Dropped{r.spans - lost, reasonOf(r, &d), d.tenant}), false
	}
	p := &Parcel{Decision: d.Decision, Spans: r.spans - lost, Tenant: d.tenant, pieces: r.pieces, bytes: r.bytes}
	p.leaveRecords()
	s.bytes += p.bytes
	if !s.canSend(now) {
		s.outbox = append(s.outbox, p)
		return out, false
	}
	return append(out, s.send(p, td)...), true
}

// leaveRecords: records have been passed on when they arrived.
func (p *Parcel) leaveRecords() {
	p.pieces = slices.DeleteFunc(p.pieces, func(e encoded) bool {
		if e.records > 0 {
			p.bytes -= int64(len(e.data)) + pieceOverhead
		}
		return e.records > 0
	})
}

func reasonOf(r *pending, d *judged) Reason {
	switch {
	case r.prior != nil:
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

// send finishes a run and hands it out.
func (s *State) send(p *Parcel, td ptrace.Traces) []Effect {
	done := finish(&s.Policy, td, p.Decision, s.DryRun)
	s.inFlight++
	out := []Effect{Send{Parcel: p, Traces: td}}
	if !p.counted && done != (Finished{}) {
		out = append(out, done)
	}
	p.counted = true
	return out
}

func (s *State) sendWaiting(now time.Time) []Effect {
	if len(s.outbox) == 0 || !s.canSend(now) {
		return nil
	}
	p := s.outbox[0]
	s.outbox[0] = nil
	s.outbox = s.outbox[1:]
	td, _, _ := load(p.pieces)
	return s.send(p, td)
}

func (s *State) delivered(p *Parcel) {
	s.inFlight--
	s.bytes -= p.bytes
	s.backoff = 0
}

// failed keeps the parcel for another try, before those that waited behind it.
func (s *State) failed(p *Parcel, permanent bool, now time.Time) []Effect {
	s.inFlight--
	if permanent {
		s.bytes -= p.bytes
		return []Effect{Dropped{p.Spans, ByRefusal, p.Tenant}}
	}
	s.outbox = append([]*Parcel{p}, s.outbox...)
	s.backoff = min(max(2*s.backoff, s.RetryMin), s.RetryMax)
	s.retryAt = now.Add(s.backoff)
	return nil
}
