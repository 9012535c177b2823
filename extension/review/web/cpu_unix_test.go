//go:build unix

package web

import "syscall"

// cpuNanos is the processor time of the whole process, which a busy machine
// does not stretch.
func cpuNanos() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
