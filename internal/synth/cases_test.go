package synth

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected trees")

// TestCases plays each testdata/cases/*.txtar: the first line says what the case
// proves, "in" is a script, "calls" what each call sent, "out" the united tree.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Comment) == 0 {
				t.Fatal("the first line must say what the case proves")
			}
			var in string
			want := map[string]string{}
			for _, f := range archive.Files {
				if f.Name == "in" {
					in = string(f.Data)
				} else {
					want[f.Name] = string(f.Data)
				}
			}
			got, calls := play(t, parse(t, in))
			have := map[string]string{"calls": strings.Join(calls, "\n") + "\n", "out": got.tree()}
			if *update {
				archive.Files = []txtar.File{{Name: "in", Data: []byte(in)}, {Name: "calls", Data: []byte(have["calls"])}, {Name: "out", Data: []byte(have["out"])}}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}
