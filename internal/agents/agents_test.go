package agents

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected trees of testdata/agents")

// TestAgents is one golden tree an agent and version band: the first line of a
// file says what it shows, "in" is what the agent sends, "events" the mapped
// records and "tree" the spans.
func TestAgents(t *testing.T) {
	paths, err := filepath.Glob("testdata/agents/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Comment) == 0 || len(archive.Files) == 0 {
				t.Fatal("the first line must say what the case shows")
			}
			in := string(archive.Files[0].Data)
			got, logs := run(compile(t), parseInput(t, in))
			have := []txtar.File{archive.Files[0], {Name: "events", Data: []byte(events(logs))}, {Name: "tree", Data: []byte(got.tree(false))}}
			if *update {
				archive.Files = have
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(&txtar.Archive{Files: archive.Files})), string(txtar.Format(&txtar.Archive{Files: have}))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
