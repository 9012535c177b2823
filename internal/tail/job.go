package tail

import (
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// Job is pieces of one run that are being decided on. What arrives of the run
// meanwhile is late.
type Job struct {
	run         *pending
	tenant      string
	pieces      []held
	digest      Digest
	spans       int
	bytes       int64
	prior       *Decision
	trigger     Trigger
	look        bool // only to know whether it is protected
	first, last time.Time
	spanned     time.Time
}

// Load is a decoded run, with spans of one id merged.
type Load struct {
	Traces  ptrace.Traces
	Records []evidence.Record
	Lost    int // spans of pieces that do not decode
}

// Hands do the work outside the lock.
type Hands struct {
	Policy *Policy
	Arena  *slab.Arena
	DryRun bool
}

// Judge answers a Judge effect.
func (h *Hands) Judge(j *Job) Judged {
	l := h.load(j.pieces)
	hit, _ := protect(h.Policy, evidence.Run{Tenant: j.tenant, Spans: evidence.FromTraces(l.Traces), Records: l.Records})
	return Judged{Job: j, Hit: hit, Load: l}
}

// Traces returns what is to be sent of a parcel, and what was done to it if that
// was not told before. It is the caller's.
func (h *Hands) Traces(p *Parcel) (ptrace.Traces, Finished) {
	td := p.loaded
	if p.loaded == (ptrace.Traces{}) {
		td = h.load(p.pieces).Traces
	}
	p.loaded = ptrace.Traces{}
	done := finish(h.Policy, td, p.Decision, h.DryRun)
	if p.told {
		done = Finished{}
	}
	p.told = true
	return td, done
}

func (h *Hands) load(pieces []held) Load {
	l := Load{Traces: ptrace.NewTraces()}
	var u ptrace.ProtoUnmarshaler
	for _, p := range pieces {
		data := h.Arena.Bytes(p.block)
		if p.records > 0 {
			l.Records = append(l.Records, loadRecords(data)...)
			continue
		}
		part, err := u.UnmarshalTraces(data)
		if err != nil {
			l.Lost += int(p.spans)
			continue
		}
		part.ResourceSpans().MoveAndAppendTo(l.Traces.ResourceSpans())
	}
	mergeSpans(l.Traces)
	return l
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

// take makes a job of all pieces of a run. The run stays, for what its keys bring.
func (s *State) take(r *pending, trigger Trigger) *Job {
	s.forget(r)
	j := &Job{
		run: r, tenant: r.tenant, pieces: r.pieces, digest: r.digest, spans: r.spans, prior: r.prior, trigger: trigger,
		first: r.first, last: r.last, spanned: r.spanned,
	}
	for _, p := range j.pieces {
		j.bytes += p.block.Held() + pieceOverhead
	}
	r.bytes -= j.bytes
	r.pieces, r.digest, r.spans = nil, Digest{}, 0
	r.jobs++
	return j
}

// decide takes a run out of the pending ones: at once, if nothing in it can have a
// class.
func (s *State) decide(out []Effect, r *pending, trigger Trigger, now time.Time) []Effect {
	j := s.take(r, trigger)
	if j.digest.Clues.Alarm() {
		return s.judge(out, j)
	}
	return s.conclude(out, j, s.final(j, Decision{}, now), Load{}, now)
}

func (s *State) judge(out []Effect, j *Job) []Effect {
	s.judging++
	s.leaving += j.bytes
	return append(out, Judge{j})
}

func (s *State) judged(in Judged, now time.Time) []Effect {
	j := in.Job
	s.judging--
	s.leaving -= j.bytes
	if j.look && in.Hit.Protected() {
		s.putBack(j)
		return nil
	}
	return s.conclude(nil, j, s.final(j, in.Hit, now), in.Load, now)
}

// putBack ends a look at a run that is protected, and so waits on.
func (s *State) putBack(j *Job) {
	r := j.run.root()
	r.jobs--
	if r.queued() {
		s.moveTo(r, s.alarmed)
	} else {
		r.last = j.last
		s.enqueue(r, s.alarmed)
	}
	if r.spans == 0 {
		r.spanned = j.spanned
	}
	r.first, r.spanned = earlier(r.first, j.first), earlier(r.spanned, j.spanned)
	r.pieces = append(j.pieces, r.pieces...)
	r.digest.Add(&j.digest)
	r.spans += j.spans
	r.bytes += j.bytes
	s.touch(r)
}

func earlier(a, b time.Time) time.Time {
	if b.IsZero() || !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// verdict is the decision on a job, and what is to be known of it beside.
type verdict struct {
	Decision
	wish
	payer     string // whose quota counts, "" without quotas
	overruled string // rule that keeps nothing and matched, but the run is protected
}

// final is the decision on a job whose class is known.
func (s *State) final(j *Job, hit Decision, now time.Time) (v verdict) {
	p := &s.Policy
	v.payer = p.payerOf(j.tenant, &j.digest)
	switch {
	case j.prior != nil:
		v.Decision = inherit(*j.prior, hit, hit.Protected())
		v.kept = v.Keep
	case hit.Protected():
		v.Decision = hit
	case p.Quotas != nil:
		v.Decision, v.wish = ordinary(p, j.tenant, &j.digest, 1-p.Quotas.Left(v.payer, now))
	default:
		v.Decision, v.wish = ordinary(p, j.tenant, &j.digest, 0)
	}
	if hit.Protected() {
		v.overruled = p.overruled(j.digest.Rule)
	}
	return v
}

// learn tells the parts of the policy that remember.
func (s *State) learn(j *Job, v *verdict, now time.Time) {
	if s.Policy.Slow != nil {
		s.Policy.Slow.Observe(j.digest.Parts)
	}
	if s.Policy.Quotas != nil && !v.Protected() && j.spans > 0 {
		s.Policy.Quotas.Note(v.payer, j.spans, j.data(), v.share, v.Keep, now)
	}
}

// data is the size of the spans as OTLP protobuf.
func (j *Job) data() (n int64) {
	for _, p := range j.pieces {
		if p.records == 0 {
			n += int64(p.block.Len())
		}
	}
	return n
}
