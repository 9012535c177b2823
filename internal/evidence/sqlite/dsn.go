package sqlite

import (
	"fmt"
	"regexp"
	"strings"
)

// scheme begins a DSN of some engine; a single letter is a Windows drive.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):`)

// PathOf returns the file that a DSN names: sqlite:PATH, a path, or, if it is
// empty, the default. Of a DSN for another engine the error names the engine
// only, since the rest may hold a password.
func PathOf(dsn string, getenv func(string) string) (string, error) {
	path := dsn
	if m := scheme.FindStringSubmatch(dsn); m != nil {
		if strings.ToLower(m[1]) != "sqlite" {
			return "", fmt.Errorf("engine %q is not in this build; use sqlite:PATH, a path, or a ClickHouse DSN (clickhouse://, http://, https://)", m[1])
		}
		path = strings.TrimPrefix(dsn[len(m[0]):], "//")
		if path == "" {
			return "", fmt.Errorf("no path after %q", m[0])
		}
	}
	switch {
	case path == "":
		return DefaultPath(getenv)
	case path == "~" || strings.HasPrefix(path, "~/"):
		return "", fmt.Errorf("a path that starts with ~ is taken as it is, and no folder has that name; write the home folder out, in a config as ${env:HOME}")
	}
	return path, nil
}
