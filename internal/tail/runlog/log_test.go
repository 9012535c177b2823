package runlog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
)

var epoch = time.Unix(1_800_000_000, 0)

func settings(dir string) runlog.Settings {
	return runlog.Settings{Directory: dir, MaxBytes: 64 << 20, LimboBytes: 32 << 20, LimboWindow: time.Hour, Remember: 1000}
}

func open(t *testing.T, set runlog.Settings) (*runlog.Log, []runlog.Pending, runlog.Found) {
	t.Helper()
	l, pending, found, err := runlog.Open(set, func([]tail.Key, tail.Decision) {})
	require.NoError(t, err)
	return l, pending, found
}

func piece(i, size int) tail.Piece {
	return tail.Piece{Data: bytes.Repeat([]byte(fmt.Sprint(i, " ")), 1+size/8), Spans: 1}
}

func write(t *testing.T, l *runlog.Log, sync bool, sizes ...int) []tail.Piece {
	t.Helper()
	var pieces []tail.Piece
	for i, n := range sizes {
		pieces = append(pieces, piece(i, n))
	}
	require.NoError(t, l.Append(pieces, epoch, sync))
	return pieces
}

func TestPiecesOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	pieces := write(t, l, true, 100, 5000, 70_000)
	l.Forget([]uint64{pieces[1].ID})
	require.NoError(t, l.Close())
	l, pending, found := open(t, settings(dir))
	defer l.Close()
	assert.Zero(t, found)
	require.Len(t, pending, 2)
	for i, want := range []tail.Piece{pieces[0], pieces[2]} {
		assert.Equal(t, want.ID, pending[i].ID)
		assert.True(t, pending[i].Arrived.Equal(epoch))
		got, err := l.Read(want.ID)
		require.NoError(t, err)
		assert.Equal(t, want.Data, got)
	}
	assert.Greater(t, write(t, l, false, 1)[0].ID, pieces[2].ID, "an id is given once")
}

// TestTornAndDamaged cuts and spoils the file at every kind of place.
func TestTornAndDamaged(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		l, _, _ := open(t, settings(dir))
		pieces := write(t, l, true, 300, 300, 300, 300)
		require.NoError(t, l.Close())
		files, err := filepath.Glob(filepath.Join(dir, "pieces-*.log"))
		require.NoError(t, err)
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		at := 8 + r.IntN(len(data)-8)
		torn := seed%2 == 0
		if torn {
			data = data[:at]
		} else {
			data[at] ^= 0x55
		}
		require.NoError(t, os.WriteFile(files[0], data, 0o600))
		l, pending, found := open(t, settings(dir))
		if torn {
			assert.Zero(t, found.DamagedBytes)
			assert.Len(t, pending, (at-8)/((len(data[:0])+totalOf(pieces))/4))
		} else {
			assert.Len(t, pending, 3, "only the spoilt piece is gone")
			assert.Positive(t, found.DamagedBytes+found.TornBytes)
		}
		for _, p := range pending {
			got, err := l.Read(p.ID)
			require.NoError(t, err)
			assert.Equal(t, pieces[p.ID-1].Data, got)
		}
		require.NoError(t, l.Close())
		l, again, found := open(t, settings(dir))
		assert.Len(t, again, len(pending), "a second start finds the same")
		if torn {
			assert.Zero(t, found, "what was torn was cut off")
		}
		require.NoError(t, l.Close())
	}
}

// totalOf is what the pieces take as frames.
func totalOf(pieces []tail.Piece) (n int) {
	for _, p := range pieces {
		n += 11 + 20 + len(p.Data)
	}
	return n
}

func TestOneProcessOneDirectory(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	_, _, _, err := runlog.Open(settings(dir), nil)
	require.ErrorContains(t, err, "in use by another process")
	require.NoError(t, l.Close())
	l, _, _ = open(t, settings(dir))
	require.NoError(t, l.Close())
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// TestFullAndCleaned: the bound holds, what is forgotten makes room, and pieces
// that live long are copied on and outlive the files that they came in.
func TestFullAndCleaned(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	old := write(t, l, false, 1000)
	var live []uint64
	for range 40 {
		for _, p := range write(t, l, false, 1<<20, 1<<20) {
			live = append(live, p.ID)
		}
		if len(live) > 20 {
			l.Forget(live[:10])
			live = live[10:]
		}
		require.NoError(t, l.Flush(epoch))
		require.LessOrEqual(t, l.Bytes(), int64(64<<20))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "pieces-*.log"))
	assert.Less(t, len(files), 60)
	_, err := os.Stat(filepath.Join(dir, "pieces-00000001.log"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	got, err := l.Read(old[0].ID)
	require.NoError(t, err)
	assert.Equal(t, old[0].Data, got)
	for err == nil {
		err = l.Append([]tail.Piece{piece(1, 1<<20)}, epoch, false)
	}
	require.ErrorIs(t, err, runlog.ErrFull)
	require.NoError(t, l.Close())
	l, pending, _ := open(t, settings(dir))
	defer l.Close()
	assert.Equal(t, old[0].ID, pending[0].ID)
}

func TestDecisionsAreRemembered(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	kept := tail.Decision{Keep: true, Class: "error", Rule: "span_error"}
	l.Decided([]tail.Key{{1}, {2}}, kept)
	l.Decided([]tail.Key{{3}}, tail.Decision{Rule: "baseline"})
	require.NoError(t, l.Close())
	got := map[tail.Key]tail.Decision{}
	l, _, _, err := runlog.Open(settings(dir), func(keys []tail.Key, d tail.Decision) {
		for _, k := range keys {
			got[k] = d
		}
	})
	require.NoError(t, err)
	defer l.Close()
	assert.Equal(t, map[tail.Key]tail.Decision{{1}: kept, {2}: kept, {3}: {Rule: tail.RulePrior}}, got)
}

func TestLimbo(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	require.NoError(t, l.Stow([]tail.Key{{1}, {2}}, true, [][]byte{[]byte("first"), []byte("second")}, epoch))
	require.NoError(t, l.Stow([]tail.Key{{1}}, false, [][]byte{[]byte("late")}, epoch))
	require.NoError(t, l.Stow([]tail.Key{{9}}, false, [][]byte{[]byte("rest")}, epoch))
	require.NoError(t, l.Close())
	l, _, _ = open(t, settings(dir))
	defer l.Close()
	got, whole := l.Recall([]tail.Key{{2}, {1}, {5}}, epoch)
	assert.ElementsMatch(t, [][]byte{[]byte("first"), []byte("second"), []byte("late")}, got)
	assert.True(t, whole(tail.Key{1}))
	assert.False(t, whole(tail.Key{5}))
	got, _ = l.Recall([]tail.Key{{1}}, epoch)
	assert.Empty(t, got, "what was recalled is gone")
	_, whole = l.Recall([]tail.Key{{9}}, epoch)
	assert.False(t, whole(tail.Key{9}), "something of it was dropped before")
	require.NoError(t, l.Stow([]tail.Key{{8}}, true, [][]byte{[]byte("old")}, epoch))
	got, whole = l.Recall([]tail.Key{{8}}, epoch.Add(settings(dir).LimboWindow+time.Second))
	assert.Empty(t, got, "older than the window, though still there")
	assert.False(t, whole(tail.Key{8}))
}

func bytesOf(t *testing.T, dir, pattern string) (n int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		n += info.Size()
	}
	return n
}

// TestAnIDIsNotUsedAgain, also when nothing but its end is left of it.
func TestAnIDIsNotUsedAgain(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	first := write(t, l, true, 8<<20)
	l.Forget([]uint64{first[0].ID})
	require.NoError(t, l.Flush(epoch))
	require.NoError(t, l.Close())
	require.NoFileExists(t, filepath.Join(dir, "pieces-00000001.log"))
	l, _, _ = open(t, settings(dir))
	defer l.Close()
	assert.Greater(t, write(t, l, true, 1)[0].ID, first[0].ID)
}

func TestLimboIsBounded(t *testing.T) {
	dir := t.TempDir()
	set := settings(dir)
	set.LimboWindow = time.Minute
	set.Write = func(f *os.File, b []byte, at int64) (int, error) {
		n, err := f.WriteAt(b, at)
		assert.LessOrEqual(t, bytesOf(t, dir, "limbo-*.log"), set.LimboBytes)
		return n, err
	}
	l, _, _ := open(t, set)
	defer l.Close()
	r := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for i := range 60 {
		require.NoError(t, l.Stow([]tail.Key{{byte(i)}}, true, [][]byte{noise}, epoch.Add(time.Duration(i)*time.Millisecond)))
	}
	require.ErrorContains(t, l.Stow([]tail.Key{{97}}, true, slices.Repeat([][]byte{noise}, 33), epoch), "larger than limbo.max_mib")
	require.NoError(t, l.Stow([]tail.Key{{96}}, true, slices.Repeat([][]byte{noise}, 20), epoch))
	require.NoError(t, l.Stow([]tail.Key{{95}}, true, slices.Repeat([][]byte{noise}, 20), epoch))
	require.NoError(t, l.Stow([]tail.Key{{58}}, true, [][]byte{noise}, epoch))
	require.NoError(t, l.Stow([]tail.Key{{59}}, true, [][]byte{noise}, epoch))
	first, _ := l.Recall([]tail.Key{{0}}, epoch)
	last, _ := l.Recall([]tail.Key{{59}}, epoch)
	assert.Empty(t, first)
	assert.Len(t, last, 1)
	require.NoError(t, l.Stow([]tail.Key{{99}}, true, [][]byte{noise, noise, noise}, epoch.Add(time.Hour)))
	require.NoError(t, l.Stow([]tail.Key{{98}}, true, [][]byte{noise}, epoch.Add(time.Hour)))
	old, _ := l.Recall([]tail.Key{{58}}, epoch.Add(time.Hour))
	assert.Empty(t, old, "older than the window")
}

func TestRejectedIsBounded(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, settings(dir))
	defer l.Close()
	line := bytes.Repeat([]byte("x"), 30<<20)
	for range 4 {
		require.NoError(t, l.Reject(line))
	}
	for _, name := range []string{"rejected.jsonl", "rejected.1.jsonl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, int64(2*(30<<20+1)), info.Size())
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes everywhere")
	}
	dir := filepath.Join(t.TempDir(), "d")
	require.NoError(t, os.Mkdir(dir, 0o500))
	_, _, _, err := runlog.Open(settings(filepath.Join(dir, "below")), nil)
	require.ErrorIs(t, err, os.ErrPermission)
}

// TestSyncedBeforeItReturns: with sync the file is on the disk when Append returns,
// without it is by the next Flush, and a sync that fails takes its pieces back.
func TestSyncedBeforeItReturns(t *testing.T) {
	dir := t.TempDir()
	set := settings(dir)
	var synced []string
	var fail error
	set.Sync = func(f *os.File) error {
		if filepath.Ext(f.Name()) == ".log" {
			synced = append(synced, filepath.Base(f.Name()))
		}
		return fail
	}
	l, _, _ := open(t, set)
	defer l.Close()
	synced = nil
	write(t, l, false, 100)
	assert.Empty(t, synced)
	write(t, l, true, 100)
	assert.Equal(t, []string{"pieces-00000001.log"}, synced)
	write(t, l, false, 100)
	require.NoError(t, l.Flush(epoch))
	assert.Len(t, synced, 2)
	fail = os.ErrDeadlineExceeded
	pieces := []tail.Piece{piece(1, 100)}
	require.ErrorIs(t, l.Append(pieces, epoch, true), os.ErrDeadlineExceeded)
	fail = nil
	_, err := l.Read(pieces[0].ID)
	require.Error(t, err, "what was not acknowledged is not there")
	require.NoError(t, l.Append(pieces, epoch, true))
	assert.Equal(t, "pieces-00000002.log", synced[len(synced)-1], "nothing is written behind a failed sync")
}
