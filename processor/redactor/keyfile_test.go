package redactor

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeyIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "redaction.key")
	first, err := loadKey(path)
	require.NoError(t, err)
	assert.Len(t, first, 2*newKeyBytes)
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	again, err := loadKey(path)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no half-made file stays")
}

func TestKeyFilesDiffer(t *testing.T) {
	a, err := loadKey(filepath.Join(t.TempDir(), "k"))
	require.NoError(t, err)
	b, err := loadKey(filepath.Join(t.TempDir(), "k"))
	require.NoError(t, err)
	assert.NotEqual(t, a, b)
}

// keyFileOfChild makes TestChild load a key and print it, as a second process
// of the collector would.
const keyFileOfChild = "REDACTOR_TEST_KEY_FILE"

func TestChild(t *testing.T) {
	path := os.Getenv(keyFileOfChild)
	if path == "" {
		t.Skip("run by TestManyProcessesAgreeOnOneKey")
	}
	key, err := loadKey(path)
	require.NoError(t, err)
	_, err = os.Stdout.WriteString(key)
	require.NoError(t, err)
	os.Exit(0) // before the test's own words go to the output
}

func TestManyProcessesAgreeOnOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redaction.key")
	const processes = 8
	keys, errs := make([]string, processes), make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestChild$") // #nosec G204 G702 -- this test binary
			cmd.Env = append(os.Environ(), keyFileOfChild+"="+path)
			out, err := cmd.Output()
			keys[i], errs[i] = string(out), err
		})
	}
	wg.Wait()
	for i := range processes {
		require.NoError(t, errs[i])
		assert.Equal(t, keys[0], keys[i])
	}
}

func TestKeyFilesThatAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are another matter here")
	}
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	const secret = "this is the secret of this test"

	open := write("open", secret, 0o644)
	_, err := loadKey(open)
	assert.ErrorContains(t, err, open)
	assert.ErrorContains(t, err, "chmod 600 "+open)
	assert.NotContains(t, err.Error(), secret)

	_, err = loadKey(write("short", "abc\n", 0o600))
	assert.ErrorContains(t, err, "must hold at least 16 bytes, found 3")
	_, err = loadKey(write("empty", "", 0o600))
	assert.ErrorContains(t, err, "found 0")

	_, err = loadKey(write("zeros", strings.Repeat("\x00", 64), 0o600))
	assert.ErrorContains(t, err, "must hold a random key, found one byte repeated 64 times")
	_, err = loadKey(dir)
	assert.ErrorContains(t, err, "must be a file, found a folder; name a file in it, such as "+filepath.Join(dir, "redaction.key"))
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	defer socket.Close()
	_, err = loadKey(filepath.Join(dir, "s"))
	assert.ErrorContains(t, err, "must be a regular file")

	key, err := loadKey(write("group", "  "+secret+"\n", 0o640))
	require.NoError(t, err, "a group that runs the collector may read it")
	assert.Equal(t, secret, key)

	file := write("file", secret, 0o600)
	_, err = loadKey(filepath.Join(file, "redaction.key"))
	require.Error(t, err)
	assert.True(t, strings.Contains(err.Error(), "digest_key_file"), err)
}
