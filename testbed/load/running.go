package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Running is how long the threads of a process have been on a processor, to the
// nanosecond, which CPU is too coarse for. Threads that have ended are not in it.
func Running(pid int) (sum time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("/proc/%d: found no threads", pid)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended meanwhile
		}
		first, _, _ := strings.Cut(string(b), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}
