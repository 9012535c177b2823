package runlog

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

func keyNumber(n uint64) (k tail.Key) {
	binary.LittleEndian.PutUint64(k[:], n*0x9e3779b97f4a7c15)
	return k
}

// TestAShelfFindsItsRuns: each run by each of its keys, and not after it was taken out.
func TestAShelfFindsItsRuns(t *testing.T) {
	var s shelf
	r := rand.New(rand.NewPCG(3, 4))
	want := map[tail.Key][]int64{}
	for at := range int64(3000) {
		var keys []tail.Key
		for range 1 + r.IntN(4) {
			keys = append(keys, keyNumber(r.Uint64N(2000)))
		}
		s.add(keys, shelved{at: at})
		for _, k := range keys {
			if all := want[k]; len(all) == 0 || all[len(all)-1] != at {
				want[k] = append(want[k], at)
			}
		}
	}
	at := func(k tail.Key) (out []int64) {
		for _, run := range s.find([]tail.Key{k, k}) {
			out = append(out, run.at)
		}
		return out
	}
	for n := range uint64(2000) {
		assert.Equal(t, want[keyNumber(n)], at(keyNumber(n)))
	}
	assert.Empty(t, at(keyNumber(9999)))
	gone := want[keyNumber(7)][0]
	s.runs[gone].gone = true
	assert.NotContains(t, at(keyNumber(7)), gone)
	assert.Empty(t, new(shelf).find([]tail.Key{{}}))
}

// TestAMillionKeysInLimbo holds what the index of limbo takes when it is full: half a
// million runs of a trace and a task, in sixteen segments.
func TestAMillionKeysInLimbo(t *testing.T) {
	const segments, runs = 16, 1 << 19
	shelves := make([]shelf, segments)
	for i := range uint64(runs) {
		shelves[i*segments/runs].add([]tail.Key{keyNumber(2 * i), keyNumber(2*i + 1)}, shelved{})
	}
	bytes := 0
	for i := range shelves {
		s := &shelves[i]
		bytes += cap(s.runs)*int(unsafe.Sizeof(shelved{})) + cap(s.slots)*int(unsafe.Sizeof(shelfSlot{}))
	}
	t.Logf("%d MiB", bytes>>20)
	assert.Less(t, bytes, 36<<20)
}
