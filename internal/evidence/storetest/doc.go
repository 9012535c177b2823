// Package storetest is the contract that every evidence store keeps, as a test
// suite: Run(t, fresh) takes an engine through it.
//
// Words:
//
//   - store: one place, empty at first, that can be opened for writing and for
//     reading, again and again
//   - content: all runs of a store with everything in them, in a fixed order;
//     two stores with equal content answer every question alike
//   - clock: the time the store believes it is; the suite moves it
//
// The suite knows no engine: it says nothing of files, servers, tables or speed.
package storetest

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Store is one empty place that an engine offers.
type Store interface {
	// Writer opens the place for writing; now is the store's clock.
	Writer(t *testing.T, now func() time.Time) evidence.Writer
	// Reader opens the place for reading. It is called while a writer is open.
	Reader(t *testing.T) evidence.Reader
	// Quarantine returns the reasons of all rows set aside.
	Quarantine(t *testing.T) []string
}

// Run takes fresh stores through the contract, or through the named parts of it.
func Run(t *testing.T, fresh func(t *testing.T) Store, only ...string) {
	ran := 0
	for _, c := range contract {
		if len(only) == 0 || slices.Contains(only, c.name) {
			ran++
			t.Run(c.name, func(t *testing.T) { c.test(t, newSubject(t, fresh)) })
		}
	}
	if len(only) > 0 && ran != len(only) {
		t.Errorf("%d parts of the contract ran, want %d: %q", ran, len(only), only)
	}
}

var contract = []struct {
	name string
	test func(t *testing.T, s *subject)
}{
	{"what was written comes back exactly", roundTrip},
	{"times out of range are cut and never lost", timesOutOfRange},
	{"a span with ten thousand links and one with two thousand attributes", hugeRows},
	{"every value keeps its type", types},
	{"a map of ten thousand keys and one of a hundred levels", hugeMaps},
	{"a batch written again changes nothing", again},
	{"a span that grows is one span", growing},
	{"the order and the cut of batches do not matter", anyOrder},
	{"what joins a run and what does not", joins},
	{"runs join late and in any order", joinsInAnyOrder},
	{"links in a circle are one run", cycles},
	{"clocks that disagree lose and move nothing", clocksDisagree},
	{"tenants never meet", tenants},
	{"equal ids in several tenants stay apart", equalIDs},
	{"records join by trace, else by task", recordsJoin},
	{"a run is found by any of its ids", find},
	{"what is not found is explained", notFound},
	{"recent runs come newest first", recent},
	{"pages have every run once, newest first", paged},
	{"runs are searched by what their rows state", searched},
	{"pruning takes what is too old and nothing else", prune},
	{"pruning many rows leaves none", pruneMany},
	{"a row whose time cannot be true is as old as its arrival", pruneWrongTimes},
	{"every row is in a log that verifies all its life", logged},
	{"a subject is erased and nothing else", erases},
	{"one bad row is set aside and the rest is stored", quarantine},
	{"planted incidents are judged as before, beside runs that have nothing to do with them", incidents},
	{"writers and readers at the same time", concurrent},
	{"a closed store and an ended context refuse", refuses},
}

// start is the first time in the suite's data; the clock starts a day later.
var start = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)

// subject is a store under test with its clock.
type subject struct {
	store  Store
	fresh  func(t *testing.T) Store
	clock  atomic.Int64
	writer evidence.Writer
	reader evidence.Reader
}

func newSubject(t *testing.T, fresh func(t *testing.T) Store) *subject {
	s := &subject{store: fresh(t), fresh: fresh}
	s.clock.Store(start.Add(24 * time.Hour).UnixNano())
	s.open(t)
	t.Cleanup(func() { s.close(t) })
	return s
}

// another is a second store, empty.
func (s *subject) another(t *testing.T) *subject { return newSubject(t, s.fresh) }

func (s *subject) open(t *testing.T) {
	t.Helper()
	s.writer = s.store.Writer(t, func() time.Time { return time.Unix(0, s.clock.Load()) })
	s.reader = s.store.Reader(t)
}

func (s *subject) close(t *testing.T) {
	t.Helper()
	if err := s.reader.Close(); err != nil {
		t.Errorf("close reader: %v", err)
	}
	if err := s.writer.Close(); err != nil {
		t.Errorf("close writer: %v", err)
	}
}

// write stores a batch and demands how many rows were new or changed; -1 does
// not ask.
func (s *subject) write(t *testing.T, b evidence.Batch, stored int) {
	t.Helper()
	res, err := s.writer.Write(context.Background(), b)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	if stored >= 0 && res.Stored != stored {
		t.Errorf("stored %d rows, want %d", res.Stored, stored)
	}
	if res.Quarantined != 0 {
		t.Errorf("%d rows were set aside, want none", res.Quarantined)
	}
}

func (s *subject) writeSpans(t *testing.T, spans ...evidence.Span) {
	t.Helper()
	s.write(t, evidence.Batch{Spans: spans}, -1)
}

// content returns all runs of all tenants, newest first.
func (s *subject) content(t *testing.T) []evidence.Run {
	t.Helper()
	return s.recent(t, evidence.Query{AllTenants: true})
}

func (s *subject) recent(t *testing.T, q evidence.Query) []evidence.Run {
	t.Helper()
	var runs []evidence.Run
	err := s.reader.Recent(context.Background(), q, func(r evidence.Run) bool {
		runs = append(runs, r)
		return true
	})
	if err != nil {
		t.Fatalf("recent: %v", err)
	}
	return runs
}

func (s *subject) find(t *testing.T, tenant, id string) evidence.Run {
	t.Helper()
	run, err := s.reader.Find(context.Background(), tenant, id)
	if err != nil {
		t.Fatalf("find %q: %v", id, err)
	}
	return run
}

// equal compares contents, value for value and bit for bit.
func equal(t *testing.T, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // quickly
	}
	if diff := cmp.Diff(want, got, exactly...); diff != "" {
		t.Errorf("not what was written (-want +got):\n%s", diff)
	}
}
