package slab_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// TestBlocksDoNotOverlap fills, checks and frees blocks of drawn sizes.
func TestBlocksDoNotOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := slab.New()
	defer a.Close()
	type filled struct {
		b    slab.Block
		with byte
	}
	var live []filled
	var held int64
	for i := range 4_000 {
		if r.IntN(5) < 2 && len(live) > 0 {
			k := r.IntN(len(live))
			f := live[k]
			if got := a.Bytes(f.b); !bytes.Equal(got, bytes.Repeat([]byte{f.with}, f.b.Len())) {
				t.Fatalf("block of %d bytes was written to by another", f.b.Len())
			}
			held -= f.b.Held()
			a.Free(f.b)
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
			continue
		}
		n := 1 + r.IntN(1<<(2+r.IntN(15)))
		b := a.Alloc(n)
		if b.Len() != n || b.Held() < int64(n) || n > 64 && float64(b.Held()) > 1.13*float64(n)+4096*float64(b2i(n > 256<<10)) {
			t.Fatalf("block of %d bytes takes %d", n, b.Held())
		}
		f := filled{b, byte(i)}
		for j := range a.Bytes(b) {
			a.Bytes(b)[j] = f.with
		}
		held += b.Held()
		live = append(live, f)
		if a.Used() != held {
			t.Fatalf("used is %d, blocks hold %d", a.Used(), held)
		}
	}
	for _, f := range live {
		a.Free(f.b)
	}
	for range 40 {
		a.Trim()
	}
	if a.Used() != 0 || a.Mapped() > 0 {
		t.Errorf("after all is freed %d bytes are used and %d mapped", a.Used(), a.Mapped())
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func BenchmarkAlloc(b *testing.B) {
	a := slab.New()
	defer a.Close()
	var ring [1024]slab.Block
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Free(ring[i%len(ring)])
		ring[i%len(ring)] = a.Alloc(300 + i%5000)
	}
}
