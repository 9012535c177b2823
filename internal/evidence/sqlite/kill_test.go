package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	childPath  = "EVIDENCE_TEST_CHILD" // set in a process that only writes
	childFirst = "EVIDENCE_TEST_FIRST"
	killBatch  = 16
	killTimes  = 30
)

func TestMain(m *testing.M) {
	if path := os.Getenv(strangerPath); path != "" {
		asStranger(path)
	}
	if path := os.Getenv(childPath); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

// writeUntilKilled stores one batch after another and says so after each.
func writeUntilKilled(path string) {
	first, err := strconv.Atoi(os.Getenv(childFirst))
	if err != nil {
		panic(err)
	}
	w, err := Open(path, Settings{})
	if err != nil {
		panic(err)
	}
	for n := first; ; n++ {
		if _, err := w.Write(context.Background(), agentSpans(n, killBatch)); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

// A process that writes is killed again and again. What it acknowledged is
// there, for a reader in this process at once, and nothing is there twice.
func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("what it kills is another process")
	}
	path := newPath(t)
	acknowledged := -1
	for round := range killTimes {
		child := exec.Command(os.Args[0])
		// Begin with batches that are there already, as a sender does that did
		// not hear of them.
		first := max(0, acknowledged-2)
		child.Env = append(os.Environ(), childPath+"="+path, childFirst+"="+strconv.Itoa(first))
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); seen++ {
			n, err := strconv.Atoi(lines.Text())
			require.NoError(t, err)
			acknowledged = max(acknowledged, n)
			if seen == 0 {
				require.GreaterOrEqual(t, spans(t, path), (acknowledged+1)*killBatch, "for a reader beside the writer")
			}
			if seen == 3+5*round%11 {
				require.NoError(t, child.Process.Kill())
			}
		}
		require.Error(t, child.Wait(), "it was killed")

		// Everything up to the last acknowledged batch, and nothing torn.
		stored := spans(t, path)
		require.GreaterOrEqual(t, stored, (acknowledged+1)*killBatch)
		require.Zero(t, stored%killBatch, "half a batch is there")
		require.Equal(t, stored, count1(t, path, "SELECT count(*) FROM (SELECT DISTINCT key, span_id FROM spans)"))
		require.Equal(t, stored, count1(t, path, "SELECT count(DISTINCT span_id) FROM spans"))
		require.Equal(t, stored/4, count1(t, path, "SELECT count(*) FROM decisions"))
		require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"))
		report := verify(t, path, nil)
		require.True(t, report.OK(), "%v", report.Findings)
		require.Equal(t, int64(stored), report.Present-1, "every span and the beginning have a leaf")
	}
	w := open(t, path)
	for n := range acknowledged + 1 {
		require.Zero(t, write(t, w, agentSpans(n, killBatch)).Stored, "batch %d", n)
	}
	t.Logf("killed %d times, %d batches acknowledged, none lost, none doubled", killTimes, acknowledged+1)
}
