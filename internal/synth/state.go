package synth

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Mode says when spans go out.
type Mode int

const (
	// Live sends every span that a batch touched, whole and under its id, at
	// once; the store unites what it gets.
	Live Mode = iota
	// Closed sends each span once, when its turn is over.
	Closed
	// Stateless sends every record's span at once and remembers nothing.
	Stateless
)

// Contexts says what a record becomes that carries trace and span id.
type Contexts int

const (
	// Span makes its act a span in the record's own trace, with a link to the
	// span it came from: nobody can know whether that one will ever arrive.
	Span Contexts = iota
	// Record makes no span: the agents send their spans themselves, and the
	// record stays evidence about the span that it names.
	Record
	// Auto adds the record to the agent's own span of the same act if that one
	// arrives, and else does as Span. It needs to see the agents' spans, by Learn.
	Auto
)

// Settings are the limits that a caller gives.
type Settings struct {
	Mode     Mode
	Contexts Contexts
	Settle   time.Duration // after its stated end a turn waits this long for stragglers
	Idle     time.Duration // without a record for so long, a turn without end is over
	Wait     time.Duration // how long a record waits for the agent's own span
	Listens  bool          // the agents' spans are seen
	Keeps    bool          // the caller asks for Changes
	Keep     time.Duration // a turn that is over is remembered this long for late records
	MaxTurns int           // turns in memory
	MaxBytes int64         // memory of the turns, estimated

	Scope, ScopeVersion string // instrumentation scope of the spans
}

// State is all that is remembered between batches. It is owned by one caller at
// a time and starts with NewState.
type State struct {
	set       Settings
	turns     map[turnKey]*turn
	sessions  map[[16]byte]*session
	tasks     map[[16]byte]turnMark // the latest turn of a task
	resources map[string]*resource
	latest    *resource // the one asked for last
	bytes     int64

	open, ending, settled queue

	heard  *heard
	traced map[pcommon.TraceID][]*turn // turns whose records came with a trace
	held   []*turn                     // some act of them waits for a span, the first to wait first
	now    int64

	unsaved      map[turnKey]bool // to be kept anew
	kept         map[turnKey]bool // that the caller keeps
	goneSessions map[[16]byte]bool

	event event   // reused
	batch []*turn // reused: touched by the batch at hand
	count uint64  // of batches
}

// NewState returns an empty state.
func NewState(set Settings) *State {
	return &State{set: set, turns: map[turnKey]*turn{}, sessions: map[[16]byte]*session{}, tasks: map[[16]byte]turnMark{}, resources: map[string]*resource{}, heard: newHeard(), traced: map[pcommon.TraceID][]*turn{},
		unsaved: map[turnKey]bool{}, kept: map[turnKey]bool{}, goneSessions: map[[16]byte]bool{}}
}

// Usage says how much a state holds.
type Usage struct {
	Open    int   // turns that wait for records
	Settled int   // turns remembered for late records
	Bytes   int64 // estimate
}

// Usage returns how much the state holds.
func (s *State) Usage() Usage {
	return Usage{Open: s.open.len + s.ending.len, Settled: s.settled.len, Bytes: s.bytes}
}

// Step takes over a batch of log records, which it only reads, and returns the
// spans to send now. The same records in any order and any number give the same
// ids; now is only compared with the limits, never written.
func Step(s *State, ld plog.Logs, now time.Time) Output {
	out := s.newOutput()
	s.batch, s.count, s.now = s.batch[:0], s.count+1, now.UnixNano()
	for i := range ld.ResourceLogs().Len() {
		rl := ld.ResourceLogs().At(i)
		from := sender{tenant: tenantOf(rl.Resource()), resource: rl.Resource(), url: rl.SchemaUrl()}
		for j := range rl.ScopeLogs().Len() {
			records := rl.ScopeLogs().At(j).LogRecords()
			for k := range records.Len() {
				out.Records[s.take(records.At(k), &from, now)]++
			}
		}
	}
	// In order of time, so that a turn knows the one that it follows.
	slices.SortStableFunc(s.batch, func(a, b *turn) int { return cmp.Compare(a.root.first, b.root.first) })
	for i := 0; i < len(s.batch); i++ { // sending may add a turn
		s.send(s.batch[i], &out, s.set.Mode == Stateless)
	}
	if s.set.Mode == Stateless {
		s.forgetAll()
		return out
	}
	s.shrink(&out)
	return out
}

// sender is the resource of a batch; it is interned for the first new turn.
type sender struct {
	tenant   string
	resource pcommon.Resource
	url      string
	own      *resource
}

func (s *State) take(lr plog.LogRecord, from *sender, now time.Time) Outcome {
	e := &s.event
	if outcome := e.read(lr, from.tenant); outcome != Joined {
		return outcome
	}
	if s.set.Contexts == Record && !e.span.IsEmpty() {
		return InContext
	}
	key, derived := keyOf(e)
	t := s.turns[key]
	if t == nil {
		t = s.begin(key, derived, e, from)
	}
	s.touch(t, now)
	before := t.bytes
	outcome := t.absorb(e, s.set.Mode == Closed)
	s.bytes += int64(t.bytes - before)
	return outcome
}

// touch puts a turn at the end of its queue and into the batch.
func (s *State) touch(t *turn, now time.Time) {
	if t.batch != s.count {
		t.batch = s.count
		s.batch = append(s.batch, t)
	}
	s.save(t)
	if t.touched == now.UnixNano() && t.queue == &s.open {
		return
	}
	t.touched = now.UnixNano()
	t.leave()
	s.open.push(t)
}

func (s *State) begin(key turnKey, derived pcommon.TraceID, e *event, from *sender) *turn {
	if from.own == nil {
		from.own = s.intern(from.resource, from.url)
	}
	if from.own.turns == 0 {
		s.resources[from.own.id] = from.own
		s.bytes += int64(from.own.size)
	}
	from.own.turns++
	t := &turn{key: key, identity: key.identity(e.tenant), res: from.own, bytes: turnSize, owner: s}
	t.root = act{id: spanID(t.identity, idTurn, key.rootCall()), kind: actRoot}
	t.derived, t.named = derived, e.turn != ""
	t.tenant, t.dialect, t.session, t.turnID = e.tenant, e.dialect, e.session, e.turn
	if t.own() {
		s.traced[key.trace] = append(s.traced[key.trace], t)
	}
	if e.session != "" {
		s.enter(t, s.session(e))
	}
	s.turns[key] = t
	s.bytes += int64(t.bytes)
	return t
}

func sessionKey(e *event) [16]byte {
	sum := digest(e.tenant, e.dialect, e.session)
	return [16]byte(sum[:16])
}

// session returns the session that the event's turn is one of.
func (s *State) session(e *event) *session {
	key := sessionKey(e)
	own := s.sessions[key]
	if own == nil {
		own = &session{key: key}
		s.sessions[key] = own
		s.bytes += sessionSize
	}
	return own
}

// enter makes the turn a member of its session. If part of the same turn is in
// a trace without context, that part's root has a new link to send.
func (s *State) enter(t *turn, own *session) {
	t.sess = own
	own.members = append(own.members, t)
	if part := s.turns[turnKey{trace: t.derived}]; part != nil && part != t {
		s.resend(part)
	}
}

// resend makes a root go out again though no record touched its turn.
func (s *State) resend(t *turn) {
	t.root.dirty = true
	if t.batch != s.count {
		t.batch = s.count
		s.batch = append(s.batch, t)
	}
}

// drop forgets a turn.
func (s *State) drop(t *turn) {
	t.leave()
	delete(s.turns, t.key)
	s.untrace(t)
	s.save(t)
	s.bytes -= int64(t.bytes)
	if t.res.turns--; t.res.turns == 0 {
		delete(s.resources, t.res.id)
		s.bytes -= int64(t.res.size)
	}
	if t.sess == nil {
		return
	}
	if t.sess.leave(t); len(t.sess.members) == 0 {
		delete(s.sessions, t.sess.key)
		if s.set.Keeps {
			s.goneSessions[t.sess.key] = true
		}
		s.bytes -= sessionSize
	}
}

func (s *State) untrace(t *turn) {
	list := slices.DeleteFunc(s.traced[t.key.trace], func(x *turn) bool { return x == t })
	if s.traced[t.key.trace] = list; len(list) == 0 {
		delete(s.traced, t.key.trace)
	}
}

// forgetAll is for a caller without memory.
func (s *State) forgetAll() {
	for _, t := range s.batch {
		s.drop(t)
	}
}
