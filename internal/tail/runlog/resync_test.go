package runlog

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestFramesAreFoundBehindDamage compares with a look that checks every byte of every
// claimed frame.
func TestFramesAreFoundBehindDamage(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		var data []byte
		for range 30 {
			if r.IntN(2) == 0 {
				for range r.IntN(700) {
					data = append(data, byte(r.Uint32()))
				}
				continue
			}
			var at int
			data, at = begin(data, "pfdkl"[r.IntN(5)])
			for range r.IntN(2000) {
				data = append(data, byte(r.Uint32()))
			}
			end(data, at)
			if r.IntN(3) == 0 {
				data[at+r.IntN(len(data)-at)] ^= 0x11
			}
		}
		found, want := newResync(data), -1
		for got := found.next(0); ; got = found.next(got) {
			want = slowNext(data, max(want, 0))
			if got != want {
				t.Fatalf("seed %d: found a frame at %d, want %d", seed, got, want)
			}
			if got == len(data) {
				break
			}
		}
	}
}

func slowNext(data []byte, after int) int {
	for i := after + 1; i < len(data); i++ {
		if _, _, ok := parse(data[i:]); ok {
			return i
		}
	}
	return len(data)
}

// TestHostileDamageIsPassedInTime: heads of frames, each as long as what follows, take
// no look at all that they claim.
func TestHostileDamageIsPassedInTime(t *testing.T) {
	const size = 8 << 20
	data := make([]byte, 0, size)
	for len(data)+frameHead <= size {
		left := uint32(max(size-len(data)-3*frameHead, 0))
		data = append(data, magic0, magic1, kindPiece, byte(left), byte(left>>8), byte(left>>16), byte(left>>24), 1, 2, 3, 4)
	}
	data = data[:len(data):len(data)]
	began := time.Now()
	if at := newResync(data).next(0); at != len(data) {
		t.Fatalf("found a frame at %d", at)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s for %d bytes", took, len(data))
	}
}
