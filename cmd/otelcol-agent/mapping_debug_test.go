package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The overlays that docs/mapping-debug.md shows fit on the preset as they are.
func TestOverlaysThatShowTheMappingAreValid(t *testing.T) {
	doc, err := os.ReadFile("../../docs/mapping-debug.md")
	require.NoError(t, err)
	overlays := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(doc, -1)
	require.Len(t, overlays, 3)
	for _, o := range overlays {
		t.Setenv("XDG_DATA_HOME", t.TempDir())
		path := filepath.Join(t.TempDir(), "see.yaml")
		require.NoError(t, os.WriteFile(path, o[1], 0o600))
		_, stderr, err := execute("validate", "--config", "preset:agent", "--config", path)
		require.NoError(t, err, stderr)
	}
}
