package tail_test

import (
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// TestUrgentPieces: what may have a class, or belongs to a run that may have one or that
// is kept, is on the disk before it is acknowledged. Anything else may wait.
func TestUrgentPieces(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*script)
		span   []string
		want   bool
	}{
		"ordinary":                      {want: false},
		"in error":                      {span: []string{"error"}, want: true},
		"of an ordinary run":            {before: func(s *script) { s.line([]string{"0s", "A/1"}) }, want: false},
		"of a run in error":             {before: func(s *script) { s.line([]string{"0s", "A/1", "error"}) }, want: true},
		"linked to a run in error":      {before: func(s *script) { s.line([]string{"0s", "B/1", "error"}) }, span: []string{"->B/1"}, want: true},
		"of a run that a record denied": {before: func(s *script) { s.line([]string{"0s", "log", "A", "x", "app.permission.decision=deny"}) }, want: true},
		"of a run that is being judged": {before: func(s *script) {
			s.line([]string{"0s", "A/1", "error"})
			s.now = s.now.Add(time.Minute)
			tail.Step(s.state, tail.Tick{}, s.now) // and the answer never comes
		}, want: true},
		"of a run that was kept":    {before: func(s *script) { s.line([]string{"0s", "A/1", "always=1"}); s.tickTo(s.now.Add(time.Minute)) }, want: true},
		"of a run that was dropped": {before: func(s *script) { s.line([]string{"0s", "A/1"}); s.tickTo(s.now.Add(time.Minute)) }, want: false},
		"of a run that was kept and goes on": {before: func(s *script) {
			s.line([]string{"0s", "A/1", "always=1"})
			s.tickTo(s.now.Add(time.Minute))
			s.batch(spanOf(s, "A/3", nil))
		}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, settings(t, "ratio 0\nrule all 1 always=1\nstorage 50000000"), time.Unix(1_800_000_000, 0))
			s.open(t, logSettings(t, time.Minute))
			if c.before != nil {
				c.before(s)
			}
			_, split := s.split(spanOf(s, "A/2", c.span))
			if got := s.state.Urgent(split(true)); got != c.want {
				t.Errorf("urgent: %v, want %v", got, c.want)
			}
		})
	}
}
