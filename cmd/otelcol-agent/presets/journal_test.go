package presets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// included are the patterns that a journal's preset reads, as they are after the
// references in them were resolved.
func included(t *testing.T, name string, env map[string]string) []string {
	t.Helper()
	conf, err := retrieve("preset:journals/"+name, env, nil)
	require.NoError(t, err)
	var found []string
	for _, file := range conf.Get("receivers::filelog/" + name + "::include").([]any) {
		found = append(found, strings.ReplaceAll(file.(string), "$$", "$"))
	}
	return found
}

// What a person's folders are called is no pattern and no reference, and journals that
// this program writes are beside its store.
func TestJournalsAreWhereTheirFoldersAre(t *testing.T) {
	odd := map[string]string{"HOME": `/home/a b [x]*{y}?$HOME\`}
	require.Equal(t, []string{`/home/a b \[x]\*\{y}\?$HOME\\/.kimi/sessions/*/*/wire.jsonl`}, included(t, "kimi-cli", odd))
	require.Equal(t, []string{`/home/a b \[x]\*\{y}\?$HOME\\/.local/share/otelcol-agent/journals/cursor/*.jsonl`}, included(t, "cursor", odd))

	moved := map[string]string{"HOME": "/home/a", "XDG_DATA_HOME": "/data"}
	require.Equal(t, []string{"/data/otelcol-agent/journals/cursor/*.jsonl"}, included(t, "cursor", moved))
	require.Equal(t, []string{"/home/a/.kimi-code/sessions/*/*/agents/*/wire.jsonl"}, included(t, "kimi", moved), "another program's files do not move")

	for _, name := range []string{"kimi", "aider"} {
		_, err := retrieve("preset:journals/"+name, nil, nil)
		require.ErrorContains(t, err, "preset:journals/"+name+": ")
		require.ErrorContains(t, err, "HOME is")
	}
}

func TestWrittenJournals(t *testing.T) {
	require.Equal(t, []string{"acp", "aider", "cursor", "opencode"}, Written())
}

// Every journal's preset reads alike; no file of it names a folder that nothing places.
func TestJournalsReadAlike(t *testing.T) {
	env := map[string]string{"HOME": "/home/a"}
	var first map[string]any
	for _, preset := range Names() {
		name, ok := strings.CutPrefix(preset, journals)
		if !ok {
			continue
		}
		for _, file := range included(t, name, env) {
			require.True(t, strings.HasPrefix(file, "/home/a/"), file)
		}
		conf, err := retrieve("preset:"+preset, env, nil)
		require.NoError(t, err)
		reads := conf.Get("receivers::filelog/" + name).(map[string]any)
		delete(reads, "include")
		delete(reads, "resource")
		if first == nil {
			first = reads
		}
		require.Equal(t, first, reads, name)
	}
	require.NotEmpty(t, first)
}
