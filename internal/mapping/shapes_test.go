package mapping

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Each case is one content value, in its file `in`, and what the shapes that
// the other files are named after make of it. A last line says whether all of
// the value is represented.
func TestShapes(t *testing.T) {
	paths, _ := filepath.Glob("testdata/shapes/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	tables := embedded(t, Options{Content: true})
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := strings.TrimSuffix(string(archive.Files[0].Data), "\n")
			for i := 1; i < len(archive.Files); i++ {
				f := &archive.Files[i]
				got := describeShape(t, tables, f.Name, in)
				if *update {
					f.Data = []byte(got)
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("%s (-want +got)\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func describeShape(t *testing.T, tables *Tables, name, in string) string {
	read, ok := shapes[name]
	if !ok {
		t.Fatalf("no shape %q", name)
	}
	s := tables.scratch()
	s.tally = &tally{}
	s.begin("", "")
	s.open()
	f := &field{to: tables.targets["gen_ai.input.messages"], fieldText: &fieldText{shape: read}}
	d, out := s.reshape(f, nil, stringDatum(in))
	if out != fits {
		return "nothing\n"
	}
	if d.s == in {
		return "as it is\n"
	}
	text := d.s
	if json.Valid([]byte(text)) && (text[0] == '[' || text[0] == '{') {
		text = strings.ReplaceAll(text, `{"role"`, "\n {\"role\"")
		text = strings.ReplaceAll(text, `{"type"`, "\n  {\"type\"")
	}
	whole := "\nwhole\n"
	if !s.whole {
		whole = "\nnot whole\n"
	}
	return text + whole
}
