//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package runlog

import (
	"os"
	"path/filepath"
)

// lock: where a file that is open cannot be removed, one that can be removed
// belongs to nobody.
func lock(path string) (*os.File, error) {
	if err := os.Remove(filepath.Clean(path)); err != nil && !os.IsNotExist(err) {
		return nil, errTaken
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}
