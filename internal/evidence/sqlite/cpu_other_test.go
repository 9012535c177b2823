//go:build !unix

package sqlite

func cpuNanos() int64 { return 0 }
