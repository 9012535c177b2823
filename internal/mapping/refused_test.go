package mapping

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"golang.org/x/tools/txtar"
)

// otherLines are the lines of built-in files, which change when the files do.
var otherLines = regexp.MustCompile(`\b([a-z_0-9]+\.yaml):[0-9]+:`)

// Each case is a private dialect file beside the built-in ones, and the
// problems that it is refused with.
func TestRefusedDialectFiles(t *testing.T) {
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob("testdata/refused/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for name, b := range semconv.DialectFiles() {
				files[name+".yaml"] = b
			}
			files[archive.Files[0].Name] = archive.Files[0].Data
			tables, err := Compile(files, snapshot, Options{})
			if tables != nil || err == nil {
				t.Fatal("the file was accepted")
			}
			got := otherLines.ReplaceAllStringFunc(err.Error(), func(m string) string {
				if strings.HasPrefix(m, archive.Files[0].Name) {
					return m
				}
				return m[:strings.IndexByte(m, ':')] + ":N:"
			}) + "\n"
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "problems", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("the case has no expected part; run with -update and review")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
