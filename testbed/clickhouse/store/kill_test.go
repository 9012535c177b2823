package store

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const (
	childDSN   = "EVIDENCE_TEST_CHILD" // set in a process that only writes
	childFirst = "EVIDENCE_TEST_FIRST"
	childKey   = "EVIDENCE_TEST_KEY"
)

var killTimes = flag.Int("kills", 3, "how often the writing process is killed, over each protocol; make kill-loop has 30")

// writeUntilKilled stores batches of 34 rows, two at a time, and says so after
// each.
func writeUntilKilled(dsn string) {
	next, err := strconv.Atoi(os.Getenv(childFirst))
	if err != nil {
		panic(err)
	}
	w, err := clickhouse.Open(context.Background(), clickhouse.Settings{DSN: dsn, CreateSchema: true, Now: now, KeyFile: os.Getenv(childKey)})
	if err != nil {
		panic(whole(err))
	}
	numbers := make(chan int)
	for range 2 {
		go func() {
			for n := range numbers {
				if _, err := w.Write(context.Background(), agentSpans(2*n, 2)); err != nil {
					panic(whole(err))
				}
				fmt.Println(n)
			}
		}()
	}
	for ; ; next++ {
		numbers <- next
	}
}

// A collector that writes is killed again and again. What it acknowledged is there,
// nothing is there twice, and verify accuses nobody, whatever the kill cut off.
func TestKilledCollectorLosesNothingAcknowledged(t *testing.T) {
	overBoth(t, killedCollectorLosesNothing)
}

func killedCollectorLosesNothing(t *testing.T, server *instance.Instance, d *database) {
	acknowledged := map[int]bool{}
	highest, unsettled := -1, int64(0)
	for round := range *killTimes {
		child := exec.Command(os.Args[0])
		first := max(0, highest-2) // as a sender does that did not hear of them
		child.Env = append(os.Environ(), childDSN+"="+d.settings(nil).DSN, childFirst+"="+strconv.Itoa(first), childKey+"="+d.key)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); seen++ {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			acknowledged[n], highest = true, max(highest, n)
			if seen == 1+round%4 {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := child.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
		r := clean(t, fmt.Sprintf("round %d", round), verified(t, d, clock, nil))
		unsettled += r.Unsettled
		if r.Present < int64(34*len(acknowledged)) || r.Unlogged != 0 {
			t.Errorf("round %d: %d rows are proved of %d batches, %d have no leaf", round, r.Present, len(acknowledged), r.Unlogged)
		}
	}
	r := d.Reader(t)
	defer r.Close()
	for n := range acknowledged {
		run, err := r.Find(context.Background(), "acme", fmt.Sprintf("task-%d", n))
		if err != nil || len(run.Spans) != 32 || len(run.Records) != 2 {
			t.Errorf("acknowledged batch %d: %d spans, %d records, %v", n, len(run.Spans), len(run.Records), err)
		}
	}
	// What the kills cut off is whole when it comes again, and nothing is doubled.
	w := d.Writer(t, now)
	for n := range highest + 3 {
		if res := write(t, w, agentSpans(2*n, 2)); acknowledged[n] && res.Stored != 0 {
			t.Errorf("batch %d was acknowledged, and %d of its rows were not there", n, res.Stored)
		}
	}
	_ = w.Close()
	want := uint64(highest + 3)
	for query, rows := range map[string]uint64{"spans FINAL": 32, "events FINAL": 2, "decisions": 34, "effects": 32} {
		if n := count(t, d, "SELECT count() FROM "+d.name+"."+query); n != rows*want {
			t.Errorf("%d of %s, want %d", n, query, rows*want)
		}
	}
	if r := clean(t, "at the end", verified(t, d, clock, nil)); r.Present != int64(34*want) || r.Unsettled != 0 {
		t.Errorf("%d rows are proved, %d unsettled", r.Present, r.Unsettled)
	}
	if found := damage(t, d); len(found) > 0 {
		t.Errorf("damaged: %v", found)
	}
	t.Logf("killed %d times, %d batches acknowledged, none lost, none doubled; %d rows were left unsettled by kills", *killTimes, len(acknowledged), unsettled)
}
