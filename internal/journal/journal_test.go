package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var at = time.UnixMilli(1795996800123)

func TestLine(t *testing.T) {
	for said, want := range map[string]string{
		`{}`:                                 `{"journal_time":1795996800123}`,
		" {\"a\":\n [1, \"x\\ny\"]}\r\n":     `{"a":[1,"x\ny"],"journal_time":1795996800123}`,
		`{"n":12345678901234567890,"h":"<"}`: `{"n":12345678901234567890,"h":"<","journal_time":1795996800123}`,
	} {
		line, err := Line([]byte(said), at)
		require.NoError(t, err)
		require.Equal(t, want+"\n", string(line))
	}
	for _, said := range []string{"", " ", "secret", `["secret"]`, `{"secret"`, `{"a":1} {"secret":2}`, `"secret"`} {
		_, err := Line([]byte(said), at)
		require.EqualError(t, err, "must be one JSON object", "%q", said)
	}
	_, err := Line([]byte(`{"a":"`+strings.Repeat("x", MaxLine)+`"}`), at)
	require.EqualError(t, err, "must be at most 15 MiB long")
}

// Many writers, long lines: none is torn, and nobody else can read them.
func TestAppendDoesNotMixLines(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a [b]", "cursor")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			line := []byte(strings.Repeat(string(rune('a'+i)), 100_000) + "\n")
			for range 20 {
				require.NoError(t, Append(folder, "day.jsonl", line, time.Time{}))
			}
		})
	}
	all.Wait()
	b, err := os.ReadFile(filepath.Join(folder, "day.jsonl"))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	require.Len(t, lines, 160)
	for _, line := range lines {
		require.Equal(t, 100_000, bytes.Count(line, line[:1]))
	}
	for path, mode := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "day.jsonl"): 0o600} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), path)
	}
}

// Who says lines does not wait for the disk; they are written in their order, and what
// there is no room for is told.
func TestBacklog(t *testing.T) {
	disk := make(chan struct{})
	var wrote []string
	b := Backlog{MaxBytes: 4, Write: func(said []byte, _ time.Time) {
		<-disk
		wrote = append(wrote, string(said))
	}}
	require.True(t, b.Wait(nil), "nothing was said")
	line := []byte("a")
	for _, c := range []byte("abcd") {
		line[0] = c
		require.True(t, b.Add(line, at))
	}
	require.False(t, b.Add(line, at), "there is no room")
	late := make(chan time.Time, 1)
	late <- at
	require.False(t, b.Wait(late), "the disk takes nothing")
	close(disk)
	require.True(t, b.Wait(nil))
	require.Equal(t, []string{"a", "b", "c", "d"}, wrote)
	require.True(t, b.Add([]byte("e"), at))
	require.True(t, b.Wait(nil))
	require.Len(t, wrote, 5)
}

// A new file takes the place of old journals, and of nothing else.
func TestAppendForgetsOldJournals(t *testing.T) {
	folder := t.TempDir()
	day := func(name string, age time.Duration) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, at.Add(-age), at.Add(-age)))
	}
	day("old.jsonl", 8*24*time.Hour)
	day("young.jsonl", 6*24*time.Hour)
	day("notes.txt", 8*24*time.Hour)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "a.jsonl"), 0o700))
	since := at.Add(-7 * 24 * time.Hour)
	require.NoError(t, Append(folder, "young.jsonl", []byte("{}\n"), since))
	require.FileExists(t, filepath.Join(folder, "old.jsonl"), "the file was there")
	require.NoError(t, Append(folder, "new.jsonl", []byte("{}\n"), since))
	require.NoFileExists(t, filepath.Join(folder, "old.jsonl"))
	for _, name := range []string{"young.jsonl", "notes.txt", "new.jsonl"} {
		require.FileExists(t, filepath.Join(folder, name))
	}
	require.DirExists(t, filepath.Join(folder, "a.jsonl"))
}

// However the bytes are cut, what comes out went in, and the lines are whole.
func TestTap(t *testing.T) {
	in := []byte("{\"a\":1}\n\r\n{\"b\":2}\r\n" + strings.Repeat("x", MaxLine+1) + "\n{\"c\":3}\nopen")
	for _, size := range []int{1 << 16, 1<<16 + 1, len(in)} {
		var out bytes.Buffer
		var kept []string
		tap := Tap{To: &out, Keep: func(said []byte) { kept = append(kept, strings.TrimSpace(string(said))) }}
		for rest := in; len(rest) > 0; {
			n := min(size, len(rest))
			wrote, err := tap.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, wrote)
			rest = rest[n:]
		}
		require.True(t, bytes.Equal(in, out.Bytes()))
		require.Equal(t, []string{`{"a":1}`, `{"b":2}`, "", `{"c":3}`}, kept)
	}
	var out bytes.Buffer
	tap := Tap{To: &out, Keep: func([]byte) { require.Equal(t, "{", out.String(), "a line is kept before it is passed on") }}
	for _, b := range []string{"{", "}\n"} {
		_, err := tap.Write([]byte(b))
		require.NoError(t, err)
	}
}
