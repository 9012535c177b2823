package semconv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every agent has a dialect file of its name or a reason why not, settings or what to
// do instead, and a name that no other has.
func TestAgents(t *testing.T) {
	dialects, seen := DialectFiles(), map[string]bool{}
	for _, a := range Agents() {
		for _, name := range append([]string{a.Name}, a.Also...) {
			require.Regexp(t, `^[a-z][a-z0-9-]*$`, name)
			require.False(t, seen[name], name)
			seen[name] = true
			found, ok := FindAgent(name)
			require.True(t, ok)
			require.Equal(t, a.Name, found.Name)
		}
		require.NotEmpty(t, a.Title, a.Name)
		if a.Undialected == "" {
			require.NotEmpty(t, dialects[a.Dialect()], "%s has no dialect file", a.Name)
		} else {
			require.Empty(t, dialects[strings.ReplaceAll(a.Name, "-", "_")], a.Name)
		}
		require.Equal(t, a.Sends == "" && len(a.Journals) == 0, a.Instead != "", a.Name)
		require.Equal(t, len(a.Journals) == 0, a.Writes == "", a.Name)
		require.False(t, a.Sends != "" && len(a.Ways) == 0 || a.Instead != "" && len(a.Ways) > 0, a.Name)
		for _, w := range a.Ways {
			require.Equal(t, w.File == "", w.Text == "", a.Name)
			require.NotEmpty(t, w.File+w.OTLP+strings.Join(w.Variables, ""), a.Name)
			for _, v := range w.Variables {
				require.Regexp(t, `^[A-Z_]+=.+$`, v)
			}
			for _, off := range a.Off {
				require.NotContains(t, w.Text, `"`+off+`": true`)
				require.NotContains(t, w.Text, off+" = true")
				require.NotContains(t, strings.Join(w.Variables, " "), off+"=")
			}
		}
	}
	_, ok := FindAgent("nobody")
	require.False(t, ok)
}
