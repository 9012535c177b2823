//go:build !unix

package web

func cpuNanos() int64 { return 0 }
