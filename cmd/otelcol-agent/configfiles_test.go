package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABrokenOverlayIsNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for name, c := range map[string]struct{ text, want string }{
		"text.yaml": {"just words", "must hold keys"},
		"list.yaml": {"- a\n- b\n", "must hold keys"},
		"tabs.yaml": {"processors:\n\tredactor:\n", "line 2"},
	} {
		path := write(name, c.text)
		for _, value := range []string{path, "file:" + path} {
			_, _, err := execute("validate", "--config", "preset:agent", "--config", value)
			require.ErrorContains(t, err, "config "+path)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "just words")
		}
	}
	_, _, err := execute("validate", "--config", "preset:agent", "--config", write("empty.yaml", "# nothing\n"))
	require.NoError(t, err)
	_, _, err = execute("validate", "--config", filepath.Join(dir, "absent.yaml"))
	require.ErrorContains(t, err, "absent.yaml")
}

// TestAFileOfDialectsIsToldOnce: the redactor is given the mapper's.
func TestAFileOfDialectsIsToldOnce(t *testing.T) {
	_, _, err := execute("validate", "--config", "preset:agent", "--config", "yaml:processors::genaimapper::dialects::files: [absent.yaml]")
	require.ErrorContains(t, err, "processors::genaimapper: dialects.files[0]")
	require.NotContains(t, err.Error(), "redactor")
}
