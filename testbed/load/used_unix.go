//go:build unix

package load

import (
	"syscall"
	"time"
)

// Used is the user and system time of this process so far.
func Used() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
