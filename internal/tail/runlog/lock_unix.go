//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package runlog

import (
	"os"
	"syscall"
)

// lock takes a file for this process; the system frees it when the process ends.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, errTaken
	}
	return f, nil
}
