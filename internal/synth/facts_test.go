package synth

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func read(f facts) (out []attr) {
	for r := f.read(); r.next(); {
		out = append(out, r.attr)
	}
	return out
}

func TestFactsKeepEveryValue(t *testing.T) {
	negative := int64(-3)
	want := []attr{
		{key: 0, kind: kindString, time: 1_795_996_800_000_000_000, str: "a text"},
		{key: 1, kind: kindInt, time: 1, num: uint64(negative), inferred: true},
		{key: 15, kind: kindDouble, time: math.MaxInt64, num: math.Float64bits(0.010742)},
		{key: 16, kind: kindDouble, time: 0, num: math.Float64bits(math.Inf(-1))},
		{key: 200, kind: kindBool, time: 0, num: 1},
		{key: 255, kind: kindStrings, time: -1, str: "\x01a\x00"},
	}
	got := read(facts("").unite(want, slices.Repeat([]bool{true}, 256), new([]byte)))
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(attr{})); diff != "" {
		t.Error(diff)
	}
}

// Uniting facts with a record's attributes is uniting two maps of which the value
// that beats the other stays.
func TestUniteOfFacts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() (list []attr) {
		for range r.IntN(12) {
			list = append(list, attr{key: uint16(r.IntN(20)), kind: kindInt, inferred: r.IntN(3) == 0, time: int64(r.IntN(4)), num: r.Uint64N(4)})
		}
		slices.SortFunc(list, func(a, b attr) int { return cmp.Compare(a.key, b.key) })
		return slices.CompactFunc(list, func(a, b attr) bool { return a.key == b.key })
	}
	may, scratch := make([]bool, 256), []byte{}
	for range 2000 {
		var f facts
		want := map[uint16]attr{}
		for i := range may {
			may[i] = r.IntN(4) > 0
		}
		for range 3 {
			list := draw()
			f = f.unite(list, may, &scratch)
			for _, a := range list {
				if old, ok := want[a.key]; may[a.key] && (!ok || a.beats(&old)) {
					want[a.key] = a
				}
			}
		}
		got := read(f)
		if len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b attr) int { return cmp.Compare(a.key, b.key) }) {
			t.Fatalf("%d attributes of %d, or out of order", len(got), len(want))
		}
		for _, a := range got {
			if a != want[a.key] {
				t.Fatalf("%+v instead of %+v", a, want[a.key])
			}
			if x, ok := f.find(a.key); !ok || x != a {
				t.Fatalf("%+v is found as %+v", a, x)
			}
		}
		if f.has(20) {
			t.Fatal("a key that is not there is found")
		}
	}
}

// An open turn of an ordinary size is remembered in less than 2 KiB.
func TestOpenTurnIsSmall(t *testing.T) {
	s := NewState(defaults())
	Step(s, turnRecords(t, "5b0f2c1e-6a57-4e0e-9a53-000000000001", "0c9f4d6a-1f2b-4c3d-8e4f-000000000001"), epoch)
	if own := s.Usage().Bytes - sessionSize - int64(s.latest.size); own > 2048 {
		t.Errorf("%d bytes", own)
	}
}
