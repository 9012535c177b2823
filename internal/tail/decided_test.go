package tail

import (
	"fmt"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// TestDecidedNeverConfusesRuns: what is remembered of a key is its own decision,
// or that it was kept or dropped, or nothing; however many came after it.
func TestDecidedNeverConfusesRuns(t *testing.T) {
	d := newDecided(256)
	var keys []Key
	found, whole := 0, 0
	for i := range 2000 {
		k := taskKey("", fmt.Sprint(i))
		keys = append(keys, k)
		d.remember([]Key{k}, Decision{Keep: i%2 == 0, Class: evidence.ClassError, Rule: fmt.Sprint(i)})
	}
	for i, k := range keys {
		dec, ok := d.lookup(k)
		if !ok {
			continue
		}
		found++
		if dec.Keep != (i%2 == 0) {
			t.Fatalf("run %d: keep is %v", i, dec.Keep)
		}
		switch dec.Rule {
		case fmt.Sprint(i):
			whole++
		case RulePrior:
		default:
			t.Fatalf("run %d has the decision of run %s", i, dec.Rule)
		}
	}
	if found < 200 || found > 256 || whole == 0 || whole == found {
		t.Errorf("%d keys of 256 found, %d with class and rule", found, whole)
	}
	if _, ok := d.lookup(taskKey("x", "1999")); ok {
		t.Error("an unknown key is found")
	}
	last := keys[len(keys)-2]
	d.remember([]Key{last}, Decision{})
	if dec, _ := d.lookup(last); dec.Keep {
		t.Error("the later decision on a key does not replace the earlier one")
	}
}

// TestBytesDoNotDependOnOrder: a joined run costs what it would have cost as one.
func TestBytesDoNotDependOnOrder(t *testing.T) {
	a := Piece{Keys: []Key{{1}, {2}}, Data: make([]byte, 10), Spans: 1}
	b := Piece{Keys: []Key{{3}, {4}, {5}}, Data: make([]byte, 20), Spans: 1}
	c := Piece{Keys: []Key{{6}, {2}, {3}}, Data: make([]byte, 30), Spans: 1}
	var want int64
	for _, order := range [][]Piece{{a, c, b}, {a, b, c}, {c, b, a}, {b, a, c}} {
		s := NewState(Settings{Remember: 8, MemoryBytes: 1 << 20})
		for _, p := range order {
			Step(s, Arrive{Pieces: []Piece{p}}, s.retryAt)
		}
		if s.Runs() != 1 {
			t.Fatalf("%d runs, want one", s.Runs())
		}
		if want == 0 {
			want = s.Bytes()
		}
		if s.Bytes() != want {
			t.Errorf("%d bytes in another order than the one with %d", s.Bytes(), want)
		}
	}
}
