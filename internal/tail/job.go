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
	keys        []Key        // with a log
	dropped     map[Key]bool // keys of runs that were dropped before
	pieces      []held
	digest      Digest
	spans       int
	bytes       int64
	prior       *Decision
	trigger     Trigger
	recalled    int  // spans out of limbo, not in spans
	look        bool // only to know whether it is protected
	first, last time.Time
	spanned     time.Time
}

// Spans is how many spans the job has, without what came out of limbo.
func (j *Job) Spans() int { return j.spans }

// Load is a decoded run, with spans of one id merged.
type Load struct {
	Traces   ptrace.Traces
	Records  []evidence.Record
	Lost     int     // spans of pieces that do not decode
	recalled []Piece // earlier spans, out of limbo
	whole    bool    // and they are all that was dropped
}

// told are the spans that records tell of.
func (l *Load) told() (out []evidence.StepID) {
	seen := map[evidence.StepID]bool{{}: true}
	for i := range l.Records {
		if id := l.Records[i].Step; !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Log keeps pieces on the disk. It is safe for concurrent use.
type Log interface {
	// Append writes pieces and gives them their ids; after an error none is there.
	// With sync they are on the disk when it returns.
	Append(pieces []Piece, now time.Time, sync bool) error
	// Read returns the data of a piece.
	Read(id uint64) ([]byte, error)
	// Stow keeps a dropped run for a while. whole: nothing of it was dropped before.
	Stow(keys []Key, whole bool, pieces [][]byte, now time.Time) error
	// Recall takes what there is of the runs with these keys out of limbo; whole
	// says of which keys nothing is missing.
	Recall(keys []Key, now time.Time) (pieces [][]byte, whole func(Key) bool)
}

// Hands do the work outside the lock.
type Hands struct {
	Policy *Policy
	Arena  *slab.Arena
	DryRun bool
	Log    Log // nil without storage
}

// Judge answers a Judge effect.
func (h *Hands) Judge(j *Job, now time.Time) Judged {
	l := h.load(j.pieces)
	hit, protected := protect(h.Policy, evidence.Run{Tenant: j.tenant, Spans: evidence.FromTraces(l.Traces), Records: l.Records})
	if protected && h.Log != nil && j.prior != nil && !j.prior.Keep && !j.look {
		h.recall(j, &l, now)
	}
	return Judged{Job: j, Hit: hit, Load: l}
}

// recall adds to a run that is kept after all what was dropped of it before. It
// goes back into the log, as the run may have to wait to be sent.
func (h *Hands) recall(j *Job, l *Load, now time.Time) {
	data, whole := h.Log.Recall(j.keys, now)
	l.whole = true
	for _, k := range j.keys {
		l.whole = l.whole && (whole(k) || !j.dropped[k])
	}
	var u ptrace.ProtoUnmarshaler
	for _, d := range data {
		part, err := u.UnmarshalTraces(d)
		if err != nil {
			l.whole = false
			continue
		}
		if d, err = recovered(part); err != nil {
			l.whole = false
			continue
		}
		l.recalled = append(l.recalled, Piece{Tenant: j.tenant, Data: d, Spans: part.SpanCount()})
		part.ResourceSpans().MoveAndAppendTo(l.Traces.ResourceSpans())
	}
	if len(l.recalled) == 0 {
		return
	}
	mergeSpans(l.Traces)
	if h.Log.Append(l.recalled, now, true) != nil { // then memory has to do
		for i := range l.recalled {
			p := &l.recalled[i]
			p.Block = h.Arena.Alloc(len(p.Data))
			copy(h.Arena.Bytes(p.Block), p.Data)
		}
	}
}

// Stow answers a Stow effect.
func (h *Hands) Stow(j *Job, now time.Time) error {
	var parts [][]byte
	for _, p := range j.pieces {
		if p.spans == 0 {
			continue
		}
		data, err := h.data(p)
		if err != nil {
			return err
		}
		parts = append(parts, data)
	}
	return h.Log.Stow(j.keys, j.prior == nil, parts, now)
}

func (h *Hands) data(p held) ([]byte, error) {
	if p.block.IsZero() && h.Log != nil {
		return h.Log.Read(p.id)
	}
	return h.Arena.Bytes(p.block), nil
}

// Traces returns what is to be sent of a parcel, and what was done to it if that
// was not told before. It is the caller's.
func (h *Hands) Traces(p *Parcel) (ptrace.Traces, Finished) {
	td := p.loaded
	if p.loaded == (ptrace.Traces{}) {
		td = h.load(p.pieces).Traces
	}
	p.loaded = ptrace.Traces{}
	done := finish(h.Policy, td, p.Decision, p.records, h.DryRun)
	if p.told {
		done = Finished{}
	}
	p.told = true
	return td, done
}

func (h *Hands) load(pieces []held) Load {
	l := h.gather(pieces)
	mergeSpans(l.Traces)
	return l
}

// gather decodes pieces and leaves the versions of a span as they came.
func (h *Hands) gather(pieces []held) Load {
	l := Load{Traces: ptrace.NewTraces()}
	var u ptrace.ProtoUnmarshaler
	for _, p := range pieces {
		data, err := h.data(p)
		if p.records > 0 {
			l.Records = append(l.Records, loadRecords(data)...)
			continue
		}
		var part ptrace.Traces
		if err == nil {
			part, err = u.UnmarshalTraces(data)
		}
		if err != nil {
			l.Lost += int(p.spans)
			continue
		}
		part.ResourceSpans().MoveAndAppendTo(l.Traces.ResourceSpans())
	}
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
	j.bytes += j.digest.weight()
	if s.DiskBytes > 0 {
		j.keys = r.keys[:len(r.keys):len(r.keys)]
		if j.prior != nil && !j.prior.Keep {
			j.dropped = s.droppedBefore(j.keys)
		}
	}
	r.bytes -= j.bytes
	r.pieces, r.digest, r.spans, r.data = nil, Digest{}, 0, 0
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
	s.out[j] = true
	s.leave(j.pieces, 1)
	return append(out, Judge{j})
}

func (s *State) judged(out []Effect, in Judged, now time.Time) []Effect {
	j := in.Job
	s.judging--
	delete(s.out, j)
	s.leave(j.pieces, -1)
	if j.look && in.Hit.Protected() {
		s.putBack(j)
		return out
	}
	d := s.final(j, in.Hit, now)
	if in.Load.whole {
		d.Incomplete = j.prior.Incomplete
	}
	for i := range in.Load.recalled {
		p := &in.Load.recalled[i]
		h := held{p.Block, uint32(len(p.Data)), p.ID, int32(p.Spans), 0}
		j.pieces = append(j.pieces, h)
		j.recalled += p.Spans
		n := h.block.Held() + pieceOverhead
		j.bytes += n
		s.bytes += n
		s.disk += h.disk()
	}
	return s.conclude(out, j, d, in.Load, now)
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
	r.spans += j.spans
	r.bytes += j.bytes - j.digest.weight()
	s.bytes -= j.digest.weight()
	s.note(r, &j.digest)
	r.data += sizeOfAll(j.pieces)
	s.warmUp(r, s.DiskBytes > 0)
	s.touch(r)
}

// droppedBefore says which keys an earlier decision to drop is remembered of.
func (s *State) droppedBefore(keys []Key) map[Key]bool {
	out := map[Key]bool{}
	for _, k := range keys {
		if d, ok := s.decided.lookup(k); ok && !d.Keep {
			out[k] = true
		}
	}
	return out
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

func sizeOfAll(pieces []held) (n int64) {
	for _, p := range pieces {
		n += int64(p.n)
	}
	return n
}

// data is the size of the spans as OTLP protobuf.
func (j *Job) data() (n int64) {
	for _, p := range j.pieces {
		if p.records == 0 {
			n += int64(p.n)
		}
	}
	return n
}
