//go:build unix

package sqlite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nobody is a user without any rights.
const nobody = 65534

// A store that a user may only read, as on a file system that is mounted
// read-only: it is read, writing is refused with what to do, and nothing is made
// beside it. Root may write anywhere, so the test becomes somebody else.
func TestReadOnlyStoreIsReadAndNotWritten(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 16))
	require.NoError(t, w.Close())
	dir := filepath.Dir(path)
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555, filepath.Dir(dir): 0o755, filepath.Dir(filepath.Dir(dir)): 0o755} {
		require.NoError(t, os.Chmod(name, mode))
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	lines := strangersView(t, path)
	for _, line := range lines[:2] {
		require.Contains(t, line, "cannot be written")
		require.Contains(t, line, "give this user write access")
		require.Contains(t, line, "--store")
	}
	require.Equal(t, "read: 16 <nil>", lines[2])
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3, "the store, its key and the key's public half")

	// What a crash left there needs its log, and says so.
	require.NoError(t, os.WriteFile(path+"-wal", nil, 0o444))
	require.Contains(t, strangersView(t, path)[2], "copy the file and the one with -wal")
}

// strangersView is what asStranger says of a store.
func strangersView(t *testing.T, path string) []string {
	t.Helper()
	// By way of /proc: the stranger may not enter the folder of the test's binary.
	binary := os.Args[0]
	child := exec.Command(binary)
	if os.Geteuid() == 0 {
		child = exec.Command("/proc/self/exe")
		child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	child.Dir = "/"
	child.Env = append(os.Environ(), strangerPath+"="+path)
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, 3, "%s", out)
	return lines
}
