package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// DefaultPath returns where a store lies that nobody configured:
// otelcol-agent/evidence.db in XDG_DATA_HOME, which defaults to
// ~/.local/share. getenv is os.Getenv outside of tests.
func DefaultPath(getenv func(string) string) (string, error) {
	dir, err := DefaultFolder(getenv)
	if err != nil {
		return "", fmt.Errorf("no place for the evidence store: %w; name a file with --store or the exporter's dsn", err)
	}
	return filepath.Join(dir, "evidence.db"), nil
}

// DefaultFolder is where DefaultPath is, and keys that nobody configured.
func DefaultFolder(getenv func(string) string) (string, error) {
	dir := getenv("XDG_DATA_HOME")
	// The XDG specification has relative paths ignored.
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return "", errors.New("neither XDG_DATA_HOME nor HOME is set")
		}
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "otelcol-agent"), nil
}

// uri returns the SQLite URI of a path with open mode rw or ro, or immutable
// for a file that nothing writes to. A plain name would be cut at a question
// mark.
func uri(path, mode string, pragmas ...string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // a Windows drive
	}
	q := url.Values{"mode": {mode}}
	if mode == "immutable" {
		q = url.Values{"mode": {"ro"}, "immutable": {"1"}}
	}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	// SQLite decodes %20 but not the plus sign of a form.
	return "file://" + (&url.URL{Path: abs}).EscapedPath() + "?" + strings.ReplaceAll(q.Encode(), "+", "%20"), nil
}

// prepareFile makes folder and file with modes that keep others out, if they
// are not there. It never opens a file that exists: closing it would drop the
// locks that another connection of this process holds on it.
func prepareFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("evidence store %s is a folder; name a file in it", path)
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return unwritable(path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(path, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return unwritable(path, err)
	}
	return f.Close()
}

func unwritable(path string, err error) error {
	return fmt.Errorf("evidence store %s cannot be written: %w; give this user write access to the folder and the file, or name another file (the exporter's dsn, or --store)", path, err)
}
