//go:build !unix

package evidence

func cpuNanos() int64 { return 0 }
