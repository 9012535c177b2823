package synth

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What a caller keeps over a restart: one value a turn, one a session, and
// indexes, since a store that only gets and sets cannot be listed.

// Change is a value to keep under a key; a nil value is to be deleted.
type Change struct {
	Key   string
	Value []byte
}

const (
	turnPrefix    = "turn/"
	sessionPrefix = "session/"
	indexPrefix   = "index/"
)

// frozenTurn is a turn as it is kept. Attributes are kept by name, since a later
// version may have others in its table.
type frozenTurn struct {
	Trace    pcommon.TraceID
	Group    [8]byte
	Derived  pcommon.TraceID
	Tenant   string
	Dialect  string
	Session  string
	TurnID   string
	Resource []byte
	URL      string
	Queue    byte
	Touched  int64
	Started  bool
	Ended    bool
	Acting   bool
	Root     frozenAct
	Acts     []frozenAct
}

type frozenAct struct {
	ID      pcommon.SpanID
	Rule    string
	Kind    actKind
	Flags   uint16
	Times   [4]int64
	Op      string           `json:",omitempty"`
	Attrs   []frozenAttr     `json:",omitempty"`
	Partner pcommon.SpanID   `json:",omitzero"`
	Parent  pcommon.SpanID   `json:",omitzero"`
	Links   []pcommon.SpanID `json:",omitempty"`
	Dropped uint32           `json:",omitempty"`
	Asides  []frozenAside    `json:",omitempty"`
	Real    *frozenReal      `json:",omitempty"`
}

type frozenAttr struct {
	Key      string
	Kind     valueKind
	Inferred bool `json:",omitempty"`
	Time     int64
	Num      uint64 `json:",omitempty"`
	Str      []byte `json:",omitempty"`
}

type frozenAside struct {
	ID    []byte
	Name  string
	Time  int64
	Attrs []frozenAttr
}

type frozenReal struct {
	Trace        pcommon.TraceID
	Span, Parent pcommon.SpanID
	Kind         actKind
	SpanKind     ptrace.SpanKind
	Status       ptrace.StatusCode
	Name         string
	Subject      string
	Start, End   int64
	Has          []string
	Inferred     []string
	Guessed      bool
}

type frozenMark struct {
	Trace   pcommon.TraceID
	Group   [8]byte
	Derived pcommon.TraceID
	In      pcommon.TraceID
	Root    pcommon.SpanID
	Start   int64
	Sub     bool `json:",omitempty"`
}

// save notes that a turn is to be kept anew.
func (s *State) save(t *turn) {
	if s.set.Keeps {
		s.unsaved[t.key] = true
	}
}

// Changes are what is to be kept since the last call.
func Changes(s *State) []Change {
	var out []Change
	indexes := map[byte]bool{}
	for key := range s.unsaved {
		name := turnName(key)
		t := s.turns[key]
		if t == nil {
			out = append(out, Change{Key: name})
			indexes[key.trace[0]] = true
			delete(s.kept, key)
			continue
		}
		if !s.kept[key] {
			s.kept[key] = true
			indexes[key.trace[0]] = true
		}
		out = append(out, Change{Key: name, Value: t.freeze()})
		if t.sess != nil {
			out = append(out, Change{Key: sessionName(t.sess.key), Value: t.sess.freeze()})
		}
	}
	for key := range s.goneSessions {
		if s.sessions[key] == nil {
			out = append(out, Change{Key: sessionName(key)})
		}
	}
	for first := range indexes {
		var list []byte
		for key := range s.kept {
			if key.trace[0] == first {
				list = append(append(list, key.trace[:]...), key.group[:]...)
			}
		}
		out = append(out, Change{Key: indexName(first), Value: list})
	}
	clear(s.unsaved)
	clear(s.goneSessions)
	return out
}

func turnName(k turnKey) string {
	return turnPrefix + hex.EncodeToString(k.trace[:]) + hex.EncodeToString(k.group[:])
}
func sessionName(k [16]byte) string { return sessionPrefix + hex.EncodeToString(k[:]) }
func indexName(first byte) string   { return indexPrefix + hex.EncodeToString([]byte{first}) }

// Thaw takes over what was kept. A turn that cannot be read is left out and
// counted; get answers nil for a key that is not there.
func Thaw(s *State, get func(key string) ([]byte, error)) (lost int, err error) {
	for first := range 256 {
		list, err := get(indexName(byte(first)))
		if err != nil {
			return lost, err
		}
		for ; len(list) >= 24; list = list[24:] {
			key := turnKey{trace: pcommon.TraceID(list[:16]), group: [8]byte(list[16:24])}
			value, err := get(turnName(key))
			if err != nil {
				return lost, err
			}
			s.kept[key] = true
			if value == nil || s.thawTurn(key, value) != nil {
				lost++
				s.unsaved[key] = true // deleted with the next changes
			}
		}
	}
	for key, own := range s.sessions {
		value, err := get(sessionName(key))
		if err != nil {
			return lost, err
		}
		own.thaw(value)
	}
	s.requeue()
	return lost, nil
}

func (s *State) thawTurn(key turnKey, value []byte) error {
	var f frozenTurn
	if err := json.Unmarshal(value, &f); err != nil {
		return err
	}
	if (turnKey{f.Trace, f.Group}) != key {
		return fmt.Errorf("turn %x is kept under another key", key.trace)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(f.Resource)
	if err != nil || td.ResourceSpans().Len() != 1 {
		return fmt.Errorf("turn %x has no resource", key.trace)
	}
	e := &event{head: head{tenant: f.Tenant, dialect: f.Dialect, session: f.Session, turn: f.TurnID}}
	t := s.begin(key, f.Derived, e, &sender{tenant: f.Tenant, resource: td.ResourceSpans().At(0).Resource(), url: f.URL})
	before := t.bytes
	t.touched, t.started, t.ended, t.acting = f.Touched, f.Started, f.Ended, f.Acting
	f.Root.thaw(&t.root)
	for i := range f.Acts {
		a := &act{}
		f.Acts[i].thaw(a)
		t.add(a)
		t.bytes += a.size() - actSize
		if a.dirty {
			t.dirty = append(t.dirty, a)
		}
		if a.loose && a.opened && !a.closed {
			t.looseOpen++
		}
		if p := places(); a.str(p.parentCall) != "" || a.str(p.call) != "" && (a.kind == actNote || a.kind == actAgent) {
			t.refers = true
		}
	}
	for i := range f.Acts {
		if f.Acts[i].Partner != (pcommon.SpanID{}) {
			t.acts[i].partner = t.find(f.Acts[i].Partner)
		}
	}
	s.bytes += int64(t.bytes - before)
	[...]*queue{&s.open, &s.ending, &s.settled}[min(f.Queue, 2)].push(t)
	return nil
}

// requeue brings the queues into the order in which turns were last touched.
func (s *State) requeue() {
	for _, q := range []*queue{&s.open, &s.ending, &s.settled} {
		var list []*turn
		for t := q.oldest; t != nil; t = q.oldest {
			t.leave()
			list = append(list, t)
		}
		sortTurns(list)
		for _, t := range list {
			q.push(t)
		}
	}
}

func (s *State) queueNumber(t *turn) byte {
	switch t.queue {
	case &s.ending:
		return 1
	case &s.settled:
		return 2
	}
	return 0
}

// Due lets what is open go on waiting from now after a restart, since nobody could
// send meanwhile.
func Due(s *State, now time.Time) {
	for _, q := range []*queue{&s.open, &s.ending} {
		for t := q.oldest; t != nil; t = t.next {
			t.touched = max(t.touched, now.UnixNano())
			if s.set.Contexts == Auto && s.set.Listens && (len(t.dirty) > 0 || t.root.dirty) {
				t.holding, t.heldAt = true, now.UnixNano()
				s.held = append(s.held, t)
				for _, a := range append([]*act{&t.root}, t.dirty...) {
					a.held = now.UnixNano()
				}
			}
		}
	}
}
