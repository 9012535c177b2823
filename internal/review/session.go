package review

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Session is all runs that state one session, the earliest first.
type Session struct {
	ID       string `json:"id"`
	Turns    []Turn `json:"turns"`
	Usage    Usage  `json:"usage"`
	Errors   int    `json:"errors"`
	Start    string `json:"start"`
	End      string `json:"end"`
	Complete bool   `json:"complete"` // no run was left out
}

// Turn is one run of a session.
type Turn struct {
	Row
	N     int   `json:"n"`
	Spent Usage `json:"spent"` // by this and all turns before
}

// Add counts a run.
func (s *Session) Add(run evidence.Run) {
	s.Turns = append(s.Turns, Turn{Row: RowOf(evidence.Read(run))})
}

// Finish puts the turns in order and adds them up.
func (s *Session) Finish() {
	slices.SortStableFunc(s.Turns, func(a, b Turn) int { return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.ID, b.ID)) })
	last := int64(0)
	for i := range s.Turns {
		t := &s.Turns[i]
		t.N = i + 1
		s.Errors += t.Errors
		s.Usage.add(t.Usage)
		t.Spent = s.Usage
		last = max(last, t.ended)
	}
	if len(s.Turns) > 0 {
		s.Start, s.End = stamp(s.Turns[0].started), stamp(last)
	}
}

// Began and Ended are the times of a session for a reader.
func (s *Session) Began() string {
	if len(s.Turns) == 0 {
		return ""
	}
	return clock(s.Turns[0].started)
}
