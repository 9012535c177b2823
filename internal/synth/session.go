package synth

import (
	"bytes"
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
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
	sub     bool // of a sub-agent: another one of the session began it
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

// place puts a turn among the session's turns by its start. It answers the turns
// after it that have a new predecessor.
func (s *session) place(m turnMark) (changed []turnKey) {
	at := slices.IndexFunc(s.marks, func(x turnMark) bool { return x.key == m.key })
	if at >= 0 {
		if s.marks[at] == m {
			return nil
		}
		s.marks = slices.Delete(s.marks, at, at+1)
	}
	i, _ := slices.BinarySearchFunc(s.marks, m, compareMarks)
	if i == 0 && len(s.marks) >= maxMarks {
		return nil // older than all that is remembered
	}
	s.marks = slices.Insert(s.marks, i, m)
	for _, next := range s.marks[i+1:] {
		changed = append(changed, next.key)
		if !next.sub {
			break
		}
	}
	if len(s.marks) > maxMarks {
		s.marks = slices.Delete(s.marks, 0, 1)
	}
	return changed
}

// before returns the turn that the given one comes from and how: it follows the last
// one, or is a sub-agent's that began while that one was under way.
func (s *session) before(key turnKey) (from turnMark, relation string) {
	i := slices.IndexFunc(s.marks, func(x turnMark) bool { return x.key == key })
	for j := i - 1; j >= 0; j-- {
		switch from = s.marks[j]; {
		case from.derived == s.marks[i].derived || from.sub:
		case s.marks[i].sub:
			return from, semconv.AppLinkRelationDelegatedFrom
		default:
			return from, semconv.AppLinkRelationFollows
		}
	}
	return turnMark{}, ""
}

func compareMarks(a, b turnMark) int {
	return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(a.key.trace[:], b.key.trace[:]),
		bytes.Compare(a.key.group[:], b.key.group[:]))
}
