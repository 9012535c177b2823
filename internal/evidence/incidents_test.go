package evidence

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

type incident struct {
	name string
	file string
	arc  *txtar.Archive
	parsed
}

func incidents(t testing.TB) []incident {
	files, err := filepath.Glob("testdata/incidents/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no incidents: %v", err)
	}
	var out []incident
	for _, f := range files {
		arc, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		in := section(arc, "run")
		p, err := parseCase(in)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		name := filepath.Base(filepath.Dir(f)) + "/" + strings.TrimSuffix(filepath.Base(f), ".txtar")
		out = append(out, incident{name, f, arc, p})
	}
	return out
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setSection(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}

// TestIncidents compares the report of each case with the part that a reviewer
// agreed to. Cases with a "text" or "json" part are also compared there.
func TestIncidents(t *testing.T) {
	for _, in := range incidents(t) {
		t.Run(in.name, func(t *testing.T) {
			if strings.TrimSpace(string(in.arc.Comment)) == "" {
				t.Error("the first line does not say what the case proves")
			}
			r := NewReport(in.run, "")
			got := map[string]string{"want": render(r, in.names)}
			for _, f := range in.arc.Files {
				switch f.Name {
				case "text":
					var b bytes.Buffer
					if err := WriteText(&b, in.run, r, TextOptions{}); err != nil {
						t.Fatal(err)
					}
					got[f.Name] = b.String()
				case "json":
					j, err := json.MarshalIndent(r, "", "  ")
					if err != nil {
						t.Fatal(err)
					}
					got[f.Name] = string(j) + "\n"
				}
			}
			for name, text := range got {
				if *update {
					setSection(in.arc, name, text)
				} else if diff := cmp.Diff(section(in.arc, name), text); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(in.file, txtar.Format(in.arc), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
