package runlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
)

// crashed is a directory as a killed process leaves it: a copy of the files of one
// that is still open.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// TestSegmentsTornInTheirHead: a process can end between making a file and writing
// its head, and a machine can leave zeros there. Neither ends the next start, nor the
// one after what was written meanwhile.
func TestSegmentsTornInTheirHead(t *testing.T) {
	for _, name := range []string{"pieces", "decided", "limbo"} {
		for about, head := range map[string][]byte{"empty": {}, "part": []byte("OCA"), "zeros": make([]byte, 4096)} {
			t.Run(name+" "+about, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-00000001.log"), head, 0o600))
				l, _, found := open(t, settings(dir))
				assert.EqualValues(t, len(head), found.TornBytes)
				k := tail.Key{1}
				require.NoError(t, l.Stow([]tail.Key{k}, true, [][]byte{{1, 2}}, epoch))
				l.Decided([]tail.Key{k}, tail.Decision{})
				p := write(t, l, true, 10)
				require.NoError(t, l.Close())
				decided := 0
				l, pending, _, err := runlog.Open(settings(dir), func(keys []tail.Key, _ tail.Decision) { decided += len(keys) })
				require.NoError(t, err)
				defer l.Close()
				assert.Equal(t, 1, decided)
				require.Len(t, pending, 1)
				assert.Equal(t, p[0].ID, pending[0].ID)
				parts, whole := l.Recall([]tail.Key{k}, epoch)
				assert.Len(t, parts, 1)
				assert.True(t, whole(k))
			})
		}
	}
}

// TestForgottenIsDecided: what is forgotten on disk is decided there too, wherever the
// process ends; else late spans of the run would be a new one.
func TestForgottenIsDecided(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	defer l.Close()
	p := write(t, l, true, 10)
	require.NoError(t, l.Flush(epoch))
	l.Decided([]tail.Key{{7}}, tail.Decision{Keep: true})
	l.Forget([]uint64{p[0].ID})
	write(t, l, true, 10) // before the next Flush
	decided := 0
	l, pending, _, err := runlog.Open(settings(crashed(t, dir)), func(keys []tail.Key, _ tail.Decision) { decided += len(keys) })
	require.NoError(t, err)
	defer l.Close()
	assert.Equal(t, 1, 2-len(pending)+1-decided, "pending %d, decided %d: one of the two tells of the run", len(pending), decided)
}

// TestDirectoryTakenAway: files without a name take bytes and sync, and are nowhere
// after the process.
func TestDirectoryTakenAway(t *testing.T) {
	for about, replace := range map[string]func(string) error{
		"removed": os.RemoveAll,
		"replaced": func(dir string) error {
			moved := dir + ".moved"
			if err := os.Rename(dir, moved); err != nil {
				return err
			}
			return os.CopyFS(dir, os.DirFS(moved))
		},
	} {
		t.Run(about, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs")
			l, _, _ := open(t, settings(dir))
			kept := write(t, l, true, 10)
			require.NoError(t, replace(dir))
			require.ErrorContains(t, l.Flush(epoch), "storage.directory was removed or replaced")
			require.ErrorContains(t, l.Append([]tail.Piece{piece(1, 10)}, epoch, true), "restart the collector")
			_, err := l.Read(kept[0].ID)
			require.NoError(t, err, "what is open is read, so that it can still be sent")
			_ = l.Close()
		})
	}
}

// TestRecallIsBounded: what is taken out of limbo is decoded as one; that something
// is missing is said.
func TestRecallIsBounded(t *testing.T) {
	set := settings(t.TempDir())
	set.RecallBytes = 1000
	l, _, _ := open(t, set)
	defer l.Close()
	k := tail.Key{1}
	for i := range 3 {
		require.NoError(t, l.Stow([]tail.Key{k}, i == 0, [][]byte{make([]byte, 400)}, epoch))
	}
	parts, whole := l.Recall([]tail.Key{k}, epoch)
	assert.Len(t, parts, 2)
	assert.False(t, whole(k))
	parts, _ = l.Recall([]tail.Key{k}, epoch)
	assert.Empty(t, parts, "what does not fit is not asked for again")
}

// TestLimboHoldsWhatIsRemembered: its index is in memory, and of what is not known as
// dropped any more nobody asks.
func TestLimboHoldsWhatIsRemembered(t *testing.T) {
	set := settings(t.TempDir())
	set.Remember = 160
	l, _, _ := open(t, set)
	defer l.Close()
	for i := range 1000 {
		require.NoError(t, l.Stow([]tail.Key{{byte(i), byte(i >> 8), 1}}, true, [][]byte{{1}}, epoch))
	}
	there := 0
	for i := range 1000 {
		parts, _ := l.Recall([]tail.Key{{byte(i), byte(i >> 8), 1}}, epoch)
		there += len(parts)
	}
	assert.LessOrEqual(t, there, set.Remember)
	assert.Greater(t, there, set.Remember*3/4)
}

// TestNobodyWaitsForTheDecisionsSync: a decision that comes while others are being
// synced does not wait for it, and its pieces are not forgotten before it is written.
func TestNobodyWaitsForTheDecisionsSync(t *testing.T) {
	dir := t.TempDir()
	set := settings(dir)
	var during func()
	set.Sync = func(f *os.File) error {
		if during != nil && strings.HasPrefix(filepath.Base(f.Name()), "decided") {
			during()
		}
		return nil
	}
	l, _, _ := open(t, set)
	defer l.Close()
	p := write(t, l, true, 10, 10)
	l.Decided([]tail.Key{{1}}, tail.Decision{})
	l.Forget([]uint64{p[0].ID})
	during = func() {
		came := make(chan struct{})
		go func() {
			l.Decided([]tail.Key{{2}}, tail.Decision{})
			l.Forget([]uint64{p[1].ID})
			close(came)
		}()
		select {
		case <-came:
		case <-time.After(5 * time.Second):
			t.Error("it waits for the sync of others")
		}
	}
	require.NoError(t, l.Flush(epoch))
	during = nil
	for want := range 2 {
		after, pending, _ := open(t, settings(crashed(t, dir)))
		assert.Len(t, pending, 1-want)
		require.NoError(t, after.Close())
		require.NoError(t, l.Flush(epoch))
	}
}

// TestNothingIsRemovedUndecided: pieces that are forgotten while others are being flushed
// stay until it is on the disk what was decided of them, in an old segment and in the only one.
func TestNothingIsRemovedUndecided(t *testing.T) {
	for about, segments := range map[string]int{"the only segment": 1, "an old segment": 2} {
		t.Run(about, func(t *testing.T) {
			set := settings(t.TempDir())
			var during func()
			set.Sync = func(f *os.File) error {
				if during != nil && strings.HasPrefix(filepath.Base(f.Name()), "decided") {
					during()
				}
				return nil
			}
			l, _, _ := open(t, set)
			defer l.Close()
			first := []tail.Piece{{Data: noise(2 << 20), Spans: 1}}
			require.NoError(t, l.Append(first, epoch, true))
			if segments > 1 {
				write(t, l, true, 10)
			}
			l.Decided([]tail.Key{{1}}, tail.Decision{})
			during = func() {
				during = nil
				l.Decided([]tail.Key{{2}}, tail.Decision{})
				l.Forget([]uint64{first[0].ID})
			}
			require.NoError(t, l.Flush(epoch))
			after, pending, _ := open(t, settings(crashed(t, set.Directory)))
			assert.Len(t, pending, segments)
			require.NoError(t, after.Close())
			require.NoError(t, l.Flush(epoch))
			decided := 0
			after, pending, _, err := runlog.Open(settings(crashed(t, set.Directory)), func([]tail.Key, tail.Decision) { decided++ })
			require.NoError(t, err)
			assert.Len(t, pending, segments-1)
			assert.Equal(t, 2, decided)
			require.NoError(t, after.Close())
		})
	}
}

// TestFilesAreNamedOnTheDisk: a file that is synced in a directory that is not is nowhere
// after a power cut. So is a directory in one.
func TestFilesAreNamedOnTheDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	set := settings(dir)
	named := map[string]bool{}
	set.Sync = func(f *os.File) error {
		switch f.Name() {
		case filepath.Dir(dir):
			named[dir] = true
		case dir:
			names, _ := filepath.Glob(filepath.Join(dir, "*.log"))
			for _, n := range names {
				named[n] = true
			}
		}
		return nil
	}
	l, _, _ := open(t, set)
	defer l.Close()
	assert.Contains(t, named, dir)
	for range 3 {
		require.NoError(t, l.Append([]tail.Piece{{Data: noise(2 << 20), Spans: 1}}, epoch, true))
		names, _ := filepath.Glob(filepath.Join(dir, "pieces-*.log"))
		for _, n := range names {
			assert.Contains(t, named, n, "acknowledged in a file that has no name yet")
		}
	}
}

// TestCopiedOnIsSyncedBeforeItsSourceGoes: and what a failed sync left is synced again.
func TestCopiedOnIsSyncedBeforeItsSourceGoes(t *testing.T) {
	set := settings(t.TempDir())
	var fail bool
	var synced []string
	set.Sync = func(f *os.File) error {
		name := filepath.Base(f.Name())
		if !strings.HasPrefix(name, "pieces") {
			return nil
		}
		if fail {
			return os.ErrDeadlineExceeded
		}
		synced = append(synced, name)
		return nil
	}
	l, _, _ := open(t, set)
	defer l.Close()
	old := write(t, l, true, 100)
	rest := []tail.Piece{{Data: noise(2 << 20), Spans: 1}}
	require.NoError(t, l.Append(rest, epoch, true))
	write(t, l, true, 100) // begins another segment
	l.Forget([]uint64{rest[0].ID})
	require.NoError(t, l.Flush(epoch)) // it is said what was decided
	first := filepath.Join(set.Directory, "pieces-00000001.log")
	if _, err := os.Stat(first); err == nil {
		t.Fatal("the segment was worth cleaning")
	}
	_, err := l.Read(old[0].ID)
	require.NoError(t, err)

	// The same with a disk that syncs nothing from the copy on.
	rest = []tail.Piece{{Data: noise(2 << 20), Spans: 1}}
	require.NoError(t, l.Append(rest, epoch, true))
	write(t, l, true, 100)
	l.Forget([]uint64{rest[0].ID})
	fail = true
	require.Error(t, l.Flush(epoch))
	second := filepath.Join(set.Directory, "pieces-00000002.log")
	require.FileExists(t, second)
	fail, synced = false, nil
	require.NoError(t, l.Flush(epoch))
	assert.NotEmpty(t, synced, "what could not be synced is synced")
	require.NoFileExists(t, second)
}

// TestAFailedSyncIsMadeUpFor: what was acknowledged within the interval is on the disk as
// soon as it takes something again.
func TestAFailedSyncIsMadeUpFor(t *testing.T) {
	set := settings(t.TempDir())
	fail := false
	var synced []string
	set.Sync = func(f *os.File) error {
		if fail {
			return os.ErrDeadlineExceeded
		}
		synced = append(synced, filepath.Base(f.Name()))
		return nil
	}
	l, _, _ := open(t, set)
	defer l.Close()
	write(t, l, false, 100)
	fail = true
	require.Error(t, l.Flush(epoch))
	fail, synced = false, nil
	require.NoError(t, l.Flush(epoch))
	assert.Contains(t, synced, "pieces-00000001.log")
}
