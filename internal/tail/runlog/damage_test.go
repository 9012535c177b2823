package runlog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
)

// TestAnyDamageStarts spoils files of a directory in every way that disks and people do.
// The start succeeds, what is reported accounts for what is gone, and no piece is there
// that was not written.
func TestAnyDamageStarts(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		set := settings(t.TempDir())
		set.Sync = func(*os.File) error { return nil }
		l, _, _ := open(t, set)
		written := map[uint64][]byte{}
		for i := range 30 { // over several segments
			p := []tail.Piece{piece(i, 400<<10)}
			require.NoError(t, l.Append(p, epoch, true))
			written[p[0].ID] = p[0].Data
			l.Decided([]tail.Key{{byte(i)}}, tail.Decision{Keep: i%2 == 0})
			require.NoError(t, l.Stow([]tail.Key{{byte(i)}}, true, [][]byte{noise(1000)}, epoch))
		}
		require.NoError(t, l.Close())
		files, err := filepath.Glob(filepath.Join(set.Directory, "*.log"))
		require.NoError(t, err)
		missing := 0
		for range 1 + r.IntN(3) {
			f := files[r.IntN(len(files))]
			data, err := os.ReadFile(f)
			if err != nil || len(data) < 100 {
				continue
			}
			switch r.IntN(6) {
			case 0:
				data = data[:r.IntN(len(data))]
			case 1:
				data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
			case 2:
				data[0] ^= 1
			case 3:
				at := r.IntN(len(data))
				clear(data[at:min(at+4096, len(data))])
			case 4:
				at := r.IntN(len(data) - 50)
				data = slices.Delete(data, at, at+50)
			case 5:
				require.NoError(t, os.Remove(f))
				missing++
				continue
			}
			require.NoError(t, os.WriteFile(f, data, 0o600))
		}
		l, pending, found, err := runlog.Open(set, func([]tail.Key, tail.Decision) {})
		require.NoError(t, err, "seed %d", seed)
		for _, p := range pending {
			got, err := l.Read(p.ID)
			require.NoError(t, err, "seed %d", seed)
			require.True(t, bytes.Equal(written[p.ID], got), "seed %d: piece %d", seed, p.ID)
		}
		if missing == 0 && len(pending) < len(written) {
			assert.Positive(t, found.DamagedBytes+found.TornBytes, "seed %d: %d pieces are gone and nothing is told", seed, len(written)-len(pending))
		}
		write(t, l, true, 10)
		require.NoError(t, l.Close())
	}
}

// TestDamageIsSetAside: the damaged bytes are in a file of their own, which is told once,
// and does not keep the room of the segment that they come from.
func TestDamageIsSetAside(t *testing.T) {
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	pieces := write(t, l, true, 1000, 1000, 1000)
	require.NoError(t, l.Close())
	name := filepath.Join(set.Directory, "pieces-00000001.log")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	frame := 11 + 20 + len(pieces[0].Data)
	data[8+frame+100] ^= 0x40
	require.NoError(t, os.WriteFile(name, append(data, 0xc5, 0x1e, 'p'), 0o600))
	l, pending, found := open(t, set)
	assert.Len(t, pending, 2)
	assert.EqualValues(t, frame, found.DamagedBytes)
	assert.EqualValues(t, 3, found.TornBytes)
	require.Equal(t, []string{"pieces-00000001.log.damaged"}, found.SetAside)
	aside, err := os.ReadFile(name + ".damaged")
	require.NoError(t, err)
	assert.Equal(t, data[8+frame:8+2*frame], aside)
	require.NoError(t, l.Close())
	l, _, found = open(t, set)
	defer l.Close()
	assert.Zero(t, found, "it was told before")
	l.Forget([]uint64{pieces[0].ID, pieces[2].ID})
	require.NoError(t, l.Flush(epoch))
	assert.NoFileExists(t, name)
	assert.FileExists(t, name+".damaged")
}

// TestDamageThatCannotBeSetAside is no reason not to start.
func TestDamageThatCannotBeSetAside(t *testing.T) {
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	write(t, l, true, 1000, 1000, 1000)
	require.NoError(t, l.Close())
	name := filepath.Join(set.Directory, "pieces-00000001.log")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data[400] ^= 0x40
	require.NoError(t, os.WriteFile(name, data, 0o600))
	require.NoError(t, os.Mkdir(name+".damaged", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(name+".damaged", "x"), nil, 0o600))
	l, pending, found := open(t, set)
	defer l.Close()
	assert.Len(t, pending, 2)
	assert.Positive(t, found.DamagedBytes)
	assert.Empty(t, found.SetAside)
}

// TestDamagedHead: what follows a spoilt head is read, whatever is spoilt of it; a file in
// which nothing can be read is moved away.
func TestDamagedHead(t *testing.T) {
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	pieces := write(t, l, true, 1000, 1000)
	require.NoError(t, l.Close())
	name := filepath.Join(set.Directory, "pieces-00000001.log")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data[2] ^= 0x01
	require.NoError(t, os.WriteFile(name, data, 0o600))
	l, pending, found := open(t, set)
	assert.Len(t, pending, len(pieces))
	assert.EqualValues(t, 8, found.DamagedBytes)
	require.NoError(t, l.Close())
	require.NoError(t, os.WriteFile(name, bytes.Repeat([]byte("something else "), 100), 0o600))
	l, pending, found = open(t, set)
	assert.Empty(t, pending)
	assert.EqualValues(t, 1500, found.DamagedBytes)
	assert.NoFileExists(t, name, "what holds nothing of ours is moved away")
	aside, err := os.ReadFile(name + ".damaged")
	require.NoError(t, err)
	assert.Len(t, aside, 1500)
	require.NoError(t, l.Close())
	copy(data, "OCARUNS9") // the digit of the version is one byte like any other
	require.NoError(t, os.WriteFile(name, data, 0o600))
	l, pending, found = open(t, set)
	assert.Len(t, pending, len(pieces))
	assert.EqualValues(t, 8, found.DamagedBytes)
	require.NoError(t, l.Close())
}

func TestMissingSegmentsAreTold(t *testing.T) {
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	for range 5 {
		write(t, l, true, 5<<20)
	}
	require.NoError(t, l.Close())
	require.NoError(t, os.Remove(filepath.Join(set.Directory, "pieces-00000001.log")))
	require.NoError(t, os.Remove(filepath.Join(set.Directory, "pieces-00000003.log")))
	l, pending, found := open(t, set)
	defer l.Close()
	assert.Len(t, pending, 3)
	assert.Equal(t, 1, found.Missing, "that the oldest is gone is as it should be")
}

// TestAPieceThatCannotBeCopiedOn is given up once, and does not hold its segment for ever.
func TestAPieceThatCannotBeCopiedOn(t *testing.T) {
	set := settings(t.TempDir())
	l, _, _ := open(t, set)
	defer l.Close()
	spoilt := write(t, l, true, 100)
	good := write(t, l, true, 100)
	rest := []tail.Piece{{Data: noise(2 << 20), Spans: 1}}
	require.NoError(t, l.Append(rest, epoch, true))
	write(t, l, true, 100)
	name := filepath.Join(set.Directory, "pieces-00000001.log")
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("spoilt"), 8+11+20)
	require.NoError(t, errors.Join(err, f.Close()))
	l.Forget([]uint64{rest[0].ID})
	require.ErrorContains(t, l.Flush(epoch), "damaged")
	require.NoError(t, l.Flush(epoch))
	assert.NoFileExists(t, name)
	_, err = l.Read(spoilt[0].ID)
	require.Error(t, err)
	got, err := l.Read(good[0].ID)
	require.NoError(t, err)
	assert.Equal(t, good[0].Data, got)
}
