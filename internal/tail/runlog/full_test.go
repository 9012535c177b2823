package runlog_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
)

// smallDisk has room for so many bytes of files in a directory, as a full disk has: what
// does not fit is written as far as it does.
type smallDisk struct {
	dir  string
	room int64
}

func (d *smallDisk) write(f *os.File, b []byte, at int64) (int, error) {
	used := int64(0)
	entries, _ := os.ReadDir(d.dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			used += info.Size()
		}
	}
	if free := max(d.room-used, 0); int64(len(b)) > free {
		n, _ := f.WriteAt(b[:free], at)
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return f.WriteAt(b, at)
}

func onSmallDisk(t *testing.T, room int64) (runlog.Settings, *smallDisk) {
	d := &smallDisk{t.TempDir(), room}
	set := settings(d.dir)
	set.MaxBytes, set.Write = 4<<30, d.write
	return set, d
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestAFullDiskEmpties: the disk is smaller than max_mib, and even than one segment. What
// is sent makes room for what comes.
func TestAFullDiskEmpties(t *testing.T) {
	set, d := onSmallDisk(t, 12<<20)
	l, _, _ := open(t, set)
	defer l.Close()
	for round := range 5 {
		d.room = 12 << 20
		var live []uint64
		p := []tail.Piece{{Data: noise(1 << 20), Spans: 1}}
		err := l.Append(p, epoch, true)
		for ; err == nil && len(live) < 20; err = l.Append(p, epoch, true) {
			live = append(live, p[0].ID)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.GreaterOrEqual(t, len(live), 9, "round %d", round)
		l.Decided([]tail.Key{{byte(round)}}, tail.Decision{})
		if round > 2 {
			d.room = 10 << 20 // others take what is left
		}
		l.Forget(live)
		_ = l.Flush(epoch)
	}
}

// TestAPinnedSegmentOfAFullDisk: one run that waits on does not hold the room of all that
// came with it for ever.
func TestAPinnedSegmentOfAFullDisk(t *testing.T) {
	set, d := onSmallDisk(t, 12<<20)
	l, _, _ := open(t, set)
	defer l.Close()
	pinned := write(t, l, true, 100)
	var live []uint64
	p := []tail.Piece{{Data: noise(1 << 20), Spans: 1}}
	for l.Append(p, epoch, true) == nil {
		live = append(live, p[0].ID)
	}
	l.Forget(live)
	d.room += 64 << 10 // somebody made a little room
	for range 3 {
		_ = l.Append(p, epoch, true)
		_ = l.Flush(epoch)
	}
	require.NoError(t, l.Append(p, epoch, true))
	got, err := l.Read(pinned[0].ID)
	require.NoError(t, err)
	assert.Equal(t, pinned[0].Data, got)
}

// TestLimboYieldsToPieces: dropped runs do not hold the disk while a batch is refused.
func TestLimboYieldsToPieces(t *testing.T) {
	set, _ := onSmallDisk(t, 12<<20)
	l, _, _ := open(t, set)
	defer l.Close()
	var err error
	for i := 0; err == nil; i++ {
		err = l.Stow([]tail.Key{{byte(i)}}, true, [][]byte{noise(1 << 20)}, epoch)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	for range 9 {
		require.NoError(t, l.Append([]tail.Piece{{Data: noise(1 << 20), Spans: 1}}, epoch, true))
	}
}

// TestAStartOnAFullDisk goes on with what is there, so that it can be sent.
func TestAStartOnAFullDisk(t *testing.T) {
	set, d := onSmallDisk(t, 12<<20)
	l, _, _ := open(t, set)
	kept := write(t, l, true, 2<<20)
	require.NoError(t, l.Close())
	d.room = 0
	l, pending, found := open(t, set)
	defer l.Close()
	assert.True(t, found.Full)
	require.Len(t, pending, 1)
	got, err := l.Read(kept[0].ID)
	require.NoError(t, err)
	assert.Equal(t, kept[0].Data, got)
	require.ErrorIs(t, l.Append([]tail.Piece{piece(1, 10)}, epoch, true), syscall.ENOSPC)
	l.Forget([]uint64{kept[0].ID})
	_ = l.Flush(epoch)
	d.room = 12 << 20
	require.NoError(t, l.Append([]tail.Piece{piece(1, 10)}, epoch, true))
}

// TestDirectoryOfOthers: only what holds nothing else is closed to others.
func TestDirectoryOfOthers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "foreign"), nil, 0o600))
	l, _, found := open(t, settings(dir))
	write(t, l, true, 10)
	require.NoError(t, l.Close())
	assert.Equal(t, os.FileMode(0o055), found.OpenTo)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm(), "what holds files of others stays open to them")
	files, _ := filepath.Glob(filepath.Join(dir, "*-*.log"))
	for _, f := range append(files, filepath.Join(dir, "LOCK")) {
		info, err := os.Stat(f)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "foreign")))
	l, _, found = open(t, settings(dir))
	defer l.Close()
	assert.Zero(t, found.OpenTo)
	info, err = os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// TestLimboAndTheClock: it is kept by the time that it is, wherever the clock went.
func TestLimboAndTheClock(t *testing.T) {
	there := func(l *runlog.Log, k byte, now time.Time) int {
		parts, _ := l.Recall([]tail.Key{{k}}, now)
		return len(parts)
	}
	stow := func(l *runlog.Log, k byte, now time.Time) {
		require.NoError(t, l.Stow([]tail.Key{{k}}, true, [][]byte{{k}}, now))
	}
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	ahead := epoch.Add(24 * time.Hour)
	stow(l, 1, ahead)
	require.NoError(t, l.Flush(ahead))
	stow(l, 2, epoch) // the clock went back
	for i := range 20 {
		now := epoch.Add(time.Duration(i) * time.Minute)
		stow(l, byte(10+i), now)
		require.NoError(t, l.Flush(now))
	}
	require.NoError(t, l.Close())
	l, _, _ = open(t, set)
	now := epoch.Add(30 * time.Minute)
	require.NoError(t, l.Flush(now))
	for _, k := range []byte{1, 2, 10, 29} {
		assert.Equal(t, 1, there(l, k, now), "run %d", k)
	}
	stow(l, 3, now)
	require.NoError(t, l.Flush(now.Add(59*time.Minute)))
	assert.Equal(t, 1, there(l, 3, now.Add(59*time.Minute)))
	stow(l, 3, now)
	require.NoError(t, l.Flush(now.Add(2*time.Hour)), "nothing new is needed for what is too old to go")
	files, _ := filepath.Glob(filepath.Join(set.Directory, "limbo-*.log"))
	assert.Empty(t, files)
	stow(l, 4, now)
	require.NoError(t, l.Close())
	set.LimboBytes = 0
	l, _, _ = open(t, set)
	defer l.Close()
	files, _ = filepath.Glob(filepath.Join(set.Directory, "limbo-*.log"))
	assert.Empty(t, files, "limbo that is turned off leaves nothing")
}
