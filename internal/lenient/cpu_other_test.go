//go:build !unix

package lenient

func cpuNanos() int64 { return 0 }
