package tail_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// disk is the log of a script, on a disk that outlives its process.
type disk struct {
	set runlog.Settings
	log *runlog.Log
}

// open starts a process on what an earlier one left on the disk.
func (s *script) open(t *testing.T, set runlog.Settings) {
	log, pending, found, err := runlog.Open(set, func(keys []tail.Key, d tail.Decision) {
		tail.Step(s.state, tail.Remembered{Keys: keys, Decision: d}, s.now)
	})
	if err != nil {
		t.Fatal(err)
	}
	if found.DamagedBytes > 0 {
		s.say("damaged")
	}
	s.disk = &disk{set, log}
	s.hands.Log = log
	t.Cleanup(func() { log.Close() })
	for _, p := range pending {
		data, err := log.Read(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		piece, err := tail.Reread(p.ID, data, p.Spans == 0, &s.state.Policy)
		if err != nil {
			t.Fatal(err)
		}
		tail.Step(s.state, tail.Recovered{Piece: piece, Arrived: p.Arrived}, s.now)
	}
}

// kill ends the process: what a crash leaves is the directory as it is at that
// moment, and the next process gets a copy of it.
func (s *script) kill() {
	set := s.disk.set
	set.Directory = filepath.Join(s.t.TempDir(), "after")
	if err := os.CopyFS(set.Directory, os.DirFS(s.disk.set.Directory)); err != nil {
		s.t.Fatal(err)
	}
	next := newScript(s.t, s.settings, s.start)
	s.state, s.hands = next.state, next.hands
	s.stalled = false
	s.open(s.t, set)
}

// keep writes pieces before they are taken in, as the shell does.
func (s *script) keep(pieces []tail.Piece) bool {
	if s.disk == nil {
		return true
	}
	return s.disk.log.Append(pieces, s.now, s.state.Urgent(pieces)) == nil
}

// logged does what the log has to do for an effect.
func (s *script) logged(e tail.Effect) []tail.Effect {
	switch e := e.(type) {
	case tail.Note:
		s.disk.log.Decided(e.Keys, e.Decision)
	case tail.Gone:
		s.disk.log.Forget(e.IDs)
	case tail.Stow:
		if err := s.hands.Stow(e.Job, s.now); err != nil {
			s.t.Fatal(err)
		}
		return tail.Step(s.state, tail.Stowed(e), s.now)
	}
	return nil
}

func (s *script) flush() {
	if s.disk != nil && !s.stalled {
		if err := s.disk.log.Flush(s.now); err != nil {
			s.t.Fatal(err)
		}
	}
}

// place gives a piece its place as the shell does.
func (s *script) place(inMemory bool) tail.Alloc {
	if inMemory {
		return s.alloc
	}
	return func(n int) (slab.Block, []byte) { return slab.Block{}, make([]byte, n) }
}

func logSettings(t *testing.T, window time.Duration) runlog.Settings {
	return runlog.Settings{Directory: filepath.Join(t.TempDir(), "storage"), MaxBytes: 64 << 20, LimboBytes: 32 << 20, LimboWindow: window, Remember: 1024,
		Sync: func(*os.File) error { return nil }}
}
