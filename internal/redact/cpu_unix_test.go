//go:build unix

package redact

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is what this process has used of its cores, so that a benchmark says
// the same beside other work.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportRate adds the megabytes a second of processor time.
func reportRate(b *testing.B, before time.Duration, size int) {
	used := cpuTime(b) - before
	b.ReportMetric(float64(size)*float64(b.N)/1e6/used.Seconds(), "cpu-MB/s")
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
}
