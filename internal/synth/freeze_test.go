package synth

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// shelf is a store that only gets and sets.
type shelf map[string][]byte

func (k shelf) keep(list []Change) {
	for _, c := range list {
		if c.Value == nil {
			delete(k, c.Key)
		} else {
			k[c.Key] = c.Value
		}
	}
}

// Every case gives the same tree when the program is started anew before each
// batch: nothing of the state is in memory only.
func TestARestartBeforeEveryBatchChangesNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sc := parse(t, string(archive.Files[0].Data))
			whole, _ := play(t, sc)
			if sc.set.Contexts == Auto {
				t.Skip("spans of the agent are learnt anew")
			}
			if diff := cmp.Diff(whole.tree(), restarted(t, sc).tree()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Nor does it of records that come in any order and some of them twice.
func TestRestartsOfMixedRecordsChangeNothing(t *testing.T) {
	for _, mode := range []string{"closed", "live"} {
		for seed := range uint64(120) {
			r := rand.New(rand.NewPCG(seed, 8))
			mixed := mix(r, generate(r, 1+int(seed%4), seed%2 == 0))
			got := restarted(t, parse(t, "set mode="+mode+"\n"+strings.Join(mixed, "\n")+"\nstop\n")).tree()
			if diff := cmp.Diff(treeOf(t, mode, mixed), got); diff != "" {
				t.Fatalf("%s, seed %d: %s\nrecords:\n%s", mode, seed, diff, strings.Join(mixed, "\n"))
			}
		}
	}
}

func restarted(t *testing.T, sc script) *collected {
	kept, now, got := shelf{}, epoch, newCollected()
	sc.set.Keeps = true
	for _, b := range sc.batches {
		s := NewState(sc.set)
		lost, err := Thaw(s, func(key string) ([]byte, error) { return kept[key], nil })
		if lost > 0 || err != nil {
			t.Fatal(lost, err)
		}
		switch {
		case b.stop:
			got.add(Stop(s).Traces)
		case b.wait > 0:
			now = now.Add(b.wait)
			got.add(Tick(s, now).Traces)
		default:
			got.add(Step(s, b.logs, now).Traces)
		}
		before := s.Usage()
		kept.keep(Changes(s))
		if again := Changes(s); len(again) > 0 {
			t.Errorf("%d changes without a change", len(again))
		}
		after := NewState(sc.set)
		if _, err := Thaw(after, func(key string) ([]byte, error) { return kept[key], nil }); err != nil {
			t.Fatal(err)
		}
		if before.Open != after.Usage().Open || before.Settled != after.Usage().Settled {
			t.Errorf("held %+v, after a restart %+v", before, after.Usage())
		}
	}
	return got
}

// What was dropped is kept no longer: a store does not grow with every turn.
func TestWhatIsForgottenIsKeptNoLonger(t *testing.T) {
	text, err := os.ReadFile("testdata/cases/turns_follow.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sc := parse(t, string(txtar.Parse(text).Files[0].Data))
	sc.set.Keeps = true
	s, kept := NewState(sc.set), shelf{}
	for _, b := range sc.batches {
		if b.wait == 0 && !b.stop {
			Step(s, b.logs, epoch)
		}
	}
	kept.keep(Changes(s))
	if len(kept) == 0 {
		t.Fatal("nothing is kept")
	}
	Tick(s, epoch.Add(sc.set.Idle))
	Tick(s, epoch.Add(sc.set.Idle+sc.set.Keep))
	kept.keep(Changes(s))
	for key, value := range kept {
		if len(value) > 0 {
			t.Errorf("%s is kept with %d bytes", key, len(value))
		}
	}
}

// A value that cannot be read costs its turn and nothing else.
func TestAnUnreadableTurnIsLeftOut(t *testing.T) {
	set := defaults()
	set.Keeps = true
	s, kept := NewState(set), shelf{}
	Step(s, turnRecords(t, "s", "t1"), epoch)
	Step(s, turnRecords(t, "s", "t2"), epoch)
	kept.keep(Changes(s))
	broken := false
	for key := range kept {
		if !broken && len(key) > len(turnPrefix) && key[:len(turnPrefix)] == turnPrefix {
			kept[key], broken = []byte("{"), true
		}
	}
	after := NewState(set)
	lost, err := Thaw(after, func(key string) ([]byte, error) { return kept[key], nil })
	if err != nil || lost != 1 || len(after.turns) != 1 {
		t.Errorf("%d turns, %d lost, %v", len(after.turns), lost, err)
	}
	for _, c := range Changes(after) {
		if c.Value == nil {
			return
		}
	}
	t.Error("the unreadable value is not deleted")
}

// FuzzThaw: whatever a storage gives back, the state can be used.
func FuzzThaw(f *testing.F) {
	set := defaults()
	set.Keeps = true
	s, kept := NewState(set), shelf{}
	Step(s, turnRecords(f, "s", "t1"), epoch)
	kept.keep(Changes(s))
	for _, value := range kept {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		after := NewState(set)
		if _, err := Thaw(after, func(key string) ([]byte, error) {
			if len(kept[key]) == 0 || key[:len(indexPrefix)] == indexPrefix {
				return kept[key], nil
			}
			return value, nil
		}); err != nil {
			t.Fatal(err)
		}
		Step(after, turnRecords(t, "s", "t1"), epoch)
		Stop(after)
		if after.bytes < 0 {
			t.Errorf("holds %d bytes", after.bytes)
		}
	})
}
