package sqlite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const smallDisk = "EVIDENCE_TEST_SMALL_DISK" // folder of a file system of 3 MiB, in a process that sees it

// A real file system runs full: in the middle of batches, of the log's leaves, of
// its write-ahead log. What was acknowledged is there, nothing else is, and when
// there is room the same process goes on.
func TestFileSystemThatIsFull(t *testing.T) {
	folder := os.Getenv(smallDisk)
	if folder == "" {
		inSmallDisk(t)
		return
	}
	path := filepath.Join(folder, "evidence.db")
	ballast := filepath.Join(folder, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 1<<20), 0o600))
	w, err := Open(path, Settings{})
	require.NoError(t, err)
	acknowledged := map[int]bool{}
	failed := 0
	for n := 0; failed < 60 && n < 2000; n++ {
		if _, err := w.Write(t.Context(), agentSpans(n, 1+n%64)); err != nil {
			require.ErrorContains(t, err, "full")
			require.ErrorContains(t, err, path)
			failed++
			continue
		}
		acknowledged[n] = true
	}
	require.Equal(t, 60, failed, "the disk was never full")
	require.Greater(t, len(acknowledged), 5)
	rows := 0
	for n := range acknowledged {
		rows += 1 + n%64
	}
	readableFull(t, path, rows)

	// Another process that starts while the disk is full says so, or reads what is
	// there and says so when it writes.
	other, err := Open(path, Settings{})
	if err == nil {
		_, err = other.Write(t.Context(), agentSpans(5000, 512))
		require.NoError(t, other.Close(), "closing needs no room")
	}
	require.ErrorContains(t, err, "full")
	require.NoError(t, os.Remove(ballast))
	for n := range acknowledged {
		require.Zero(t, write(t, w, agentSpans(n, 1+n%64)).Stored)
	}
	require.Equal(t, 512, write(t, w, agentSpans(5000, 512)).Stored)
	require.NoError(t, w.Close())
	readableFull(t, path, rows+512)
	t.Logf("%d batches of %d spans acknowledged, %d refused by a full disk", len(acknowledged), rows, failed)
}

func readableFull(t *testing.T, path string, rows int) {
	t.Helper()
	readable(t, path, rows)
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(rows), report.Present-1)
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"))
}

// inSmallDisk runs the test again in a process with a mount of its own.
func inSmallDisk(t *testing.T) {
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("NOT TESTED: a real full disk: there is no unshare(1)")
	}
	script := `mount -t tmpfs -o size=3m tmpfs "$` + smallDisk + `" || exit 77; exec "$0" -test.run='^TestFileSystemThatIsFull$' -test.v`
	cmd := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, os.Args[0])
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !bytes.Contains(out, []byte("=== RUN")) {
		t.Skipf("NOT TESTED: a real full disk: this system does not let a test mount one: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "=== RUN")
	t.Logf("%s", out)
}
