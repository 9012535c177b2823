package synth

import (
	"bytes"
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// session remembers the latest turns of one harness session, so that each turn
// can name the one it follows.
type session struct {
	key     [16]byte
	members []*turn // in the state
	marks   []turnMark
}

// turnMark is a turn as its successor needs it.
type turnMark struct {
	key     turnKey
	derived pcommon.TraceID // equal for the parts of one turn
	trace   pcommon.TraceID
	root    pcommon.SpanID
	start   int64
}

const (
	maxMarks    = 8
	maxTasks    = 10_000
	sessionSize = 112 + maxMarks*88
)

// leave removes a member.
func (s *session) leave(t *turn) {
	s.members = slices.DeleteFunc(s.members, func(x *turn) bool { return x == t })
}

// place puts a turn among the session's turns by its start. It answers the turn
// after it when that one has a new predecessor.
func (s *session) place(m turnMark) (next turnKey, changed bool) {
	at := slices.IndexFunc(s.marks, func(x turnMark) bool { return x.key == m.key })
	if at >= 0 {
		if s.marks[at].start == m.start && s.marks[at].root == m.root {
			return turnKey{}, false
		}
		s.marks = slices.Delete(s.marks, at, at+1)
	}
	i, _ := slices.BinarySearchFunc(s.marks, m, compareMarks)
	if i == 0 && len(s.marks) >= maxMarks {
		return turnKey{}, false // older than all that is remembered
	}
	s.marks = slices.Insert(s.marks, i, m)
	if i+1 < len(s.marks) {
		next, changed = s.marks[i+1].key, true
	}
	if len(s.marks) > maxMarks {
		s.marks = slices.Delete(s.marks, 0, 1)
	}
	return next, changed
}

// before returns the turn that the given one follows.
func (s *session) before(key turnKey) (turnMark, bool) {
	i := slices.IndexFunc(s.marks, func(x turnMark) bool { return x.key == key })
	for j := i - 1; j >= 0; j-- {
		if s.marks[j].derived != s.marks[i].derived {
			return s.marks[j], true
		}
	}
	return turnMark{}, false
}

func compareMarks(a, b turnMark) int {
	return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(a.key.trace[:], b.key.trace[:]),
		bytes.Compare(a.key.group[:], b.key.group[:]))
}
