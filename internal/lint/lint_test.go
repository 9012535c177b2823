package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func all() []Rule { return append(append([]Rule{}, Rules...), DocRules...) }

// The repository keeps its own rules.
func TestRepository(t *testing.T) {
	tree, err := Load(os.DirFS(filepath.Join("..", "..")))
	require.NoError(t, err)
	require.NotEmpty(t, tree.Go)
	for _, rule := range all() {
		t.Run(rule.Name, func(t *testing.T) {
			for _, f := range rule.Check(tree) {
				t.Error(f)
			}
		})
	}
}

// Every rule finds what its case breaks: the findings equal the file "want".
func TestRulesFindWhatTheyForbid(t *testing.T) {
	for _, rule := range all() {
		t.Run(rule.Name, func(t *testing.T) {
			ar, err := txtar.ParseFile(filepath.Join("testdata", rule.Name+".txtar"))
			require.NoError(t, err)
			files, want := fstest.MapFS{}, ""
			for _, f := range ar.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			tree, err := Load(files)
			require.NoError(t, err)
			var got []string
			for _, f := range rule.Check(tree) {
				got = append(got, f.String())
			}
			require.NotEmpty(t, got)
			require.Equal(t, strings.TrimSpace(want), strings.Join(got, "\n"))
		})
	}
}
