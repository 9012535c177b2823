package semconvdiff

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// Each case's in part is "diff A B" or "show NAME".
func TestCases(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, strings.Fields(string(archive.Files[0].Data)))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func snapshot(t *testing.T, name string) *semconv.Snapshot {
	t.Helper()
	s, err := semconv.LoadSnapshot(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, words []string) string {
	if words[0] == "diff" {
		return Compare(snapshot(t, words[1]), snapshot(t, words[2])).Text()
	}
	entries, err := Show(words[1])
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Text())
	}
	return b.String()
}

// What one way carries, the other way carries back; what is new one way is not
// carried the other way.
func TestDifferencesMirrorEachOther(t *testing.T) {
	mirror := func(what string, there, back Names, from, to string) {
		if there.Carried == 0 && what != "events" {
			t.Errorf("%s: nothing is carried from %s to %s", what, from, to)
		}
		if diff := cmp.Diff(sortedSet(there.New), sortedSet(back.NotCarried)); diff != "" {
			t.Errorf("%s %s %s: new there, not carried back\n%s", what, from, to, diff)
		}
		if len(there.Renamed) != len(back.Renamed) {
			t.Errorf("%s %s %s: %d renamed there, %d back", what, from, to, len(there.Renamed), len(back.Renamed))
		}
	}
	for _, a := range semconv.Chain() {
		for _, b := range semconv.Chain() {
			there, back := Compare(a, b), Compare(b, a)
			mirror("keys", there.Keys, back.Keys, a.Name, b.Name)
			mirror("spans", there.Spans, back.Spans, a.Name, b.Name)
			mirror("metrics", there.Metrics, back.Metrics, a.Name, b.Name)
			mirror("events", there.Events, back.Events, a.Name, b.Name)
			own := 0
			for _, attr := range a.Attributes {
				if !attr.Core {
					own++
				}
			}
			if there.Keys.Carried+len(there.Keys.NotCarried) != own {
				t.Errorf("%s to %s: %d keys of %d", a.Name, b.Name, there.Keys.Carried+len(there.Keys.NotCarried), own)
			}
			if len(there.Levels) != len(back.Levels) || len(there.ContentChanged) != len(back.ContentChanged) {
				t.Errorf("%s to %s: levels %d and %d, notes %d and %d", a.Name, b.Name, len(there.Levels), len(back.Levels), len(there.ContentChanged), len(back.ContentChanged))
			}
			if a == b && len(there.Keys.Renamed)+len(there.Levels)+len(there.TakenOff)+len(there.Words) > 0 {
				t.Errorf("%s differs from itself", a.Name)
			}
		}
	}
}

func sortedSet(names []string) []string {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return sorted(set)
}

// Every name has an entry, and every entry can be told as text and as JSON.
func TestEveryNameIsShown(t *testing.T) {
	for _, name := range allNames() {
		entries, err := Show(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Text(), name+" (") || strings.Contains(e.Text(), "%!") {
				t.Errorf("%s: %s", name, e.Text())
			}
			if b, err := json.Marshal(e); err != nil || !json.Valid(b) {
				t.Error(name, err)
			}
		}
	}
}
