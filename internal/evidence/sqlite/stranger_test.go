package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// strangerPath is set in a process that may only read.
const strangerPath = "EVIDENCE_TEST_STRANGER"

// asStranger opens a store to which this user may not write, and says what came
// of it.
func asStranger(path string) {
	_, err := Open(path, Settings{})
	fmt.Println("write:", err)
	_, err = Open(filepath.Join(filepath.Dir(path), "new.db"), Settings{})
	fmt.Println("make:", err)
	r, err := OpenReader(path)
	if err != nil {
		fmt.Println("read:", err)
		os.Exit(0)
	}
	n := 0
	err = r.Recent(context.Background(), evidence.Query{AllTenants: true}, func(run evidence.Run) bool { n += len(run.Spans); return true })
	fmt.Println("read:", n, err)
	os.Exit(0)
}
