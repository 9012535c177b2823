package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func count1(t *testing.T, path, query string, args ...any) (n int) {
	t.Helper()
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.db.QueryRow(query, args...).Scan(&n))
	return n
}

func spans(t *testing.T, path string) int { return count1(t, path, "SELECT count(*) FROM spans") }

// readable reads all runs and demands how many spans they have.
func readable(t *testing.T, path string, want int) {
	t.Helper()
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	n := 0
	require.NoError(t, r.Recent(t.Context(), evidence.Query{AllTenants: true}, func(run evidence.Run) bool {
		n += len(run.Spans)
		return true
	}))
	require.Equal(t, want, n)
}

// inWriter runs statements on the writer's own connection.
func inWriter(t *testing.T, w *Writer, statements ...string) {
	t.Helper()
	require.NoError(t, w.do(&request{ctx: context.Background(), step: func(c *connection) error {
		for _, s := range statements {
			if err := c.each(s, nil, func(*sql.Rows) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	}}))
}

func TestFullDiskIsAnErrorUntilItIsNot(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 16))
	// SQLite says the same as when the disk is full.
	inWriter(t, w, "PRAGMA max_page_count = 60")
	stored, failed := 1, 0
	for i := 1; i < 40; i++ {
		if _, err := w.Write(t.Context(), agentSpans(i, 16)); err != nil {
			require.ErrorContains(t, err, "full")
			require.ErrorContains(t, err, path)
			failed++
			continue
		}
		stored++
	}
	require.Positive(t, failed)
	require.Equal(t, stored*16, spans(t, path), "a batch is there or it is not")
	inWriter(t, w, "PRAGMA max_page_count = 100000")
	for i := range 40 {
		write(t, w, agentSpans(i, 16))
	}
	require.Equal(t, 40*16, spans(t, path))
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(40*16+1), report.Leaves, "what was rolled back left no leaf")
}

func TestLockedFileIsAnErrorUntilItIsNot(t *testing.T) {
	path := newPath(t)
	w, err := Open(path, Settings{BusyTimeout: time.Millisecond})
	require.NoError(t, err)
	defer w.Close()
	write(t, w, agentSpans(0, 16))

	other := plain(t, path)
	conn, err := other.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, err = w.Write(t.Context(), agentSpans(1, 16))
	require.ErrorContains(t, err, "locked")
	require.Equal(t, 16, spans(t, path), "readers are not locked out")
	_, err = conn.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	write(t, w, agentSpans(1, 16))
	require.Equal(t, 32, spans(t, path))
}

func TestConnectionThatBrokeIsOpenedAgain(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 16))
	inWriter(t, w, "PRAGMA query_only = 1")
	_, err := w.Write(t.Context(), agentSpans(1, 16))
	require.Error(t, err, "SQLITE_READONLY")
	require.Equal(t, 16, write(t, w, agentSpans(1, 16)).Stored, "on a new connection")
	require.Equal(t, 32, spans(t, path))
}

// Rows that only SQLite refuses are found by bisection, in the batch of one
// caller and without harm to others in the same commit.
func TestRefusedRowsAreBisectedOut(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	refuse := "CREATE TRIGGER refuse_%[1]s BEFORE INSERT ON %[1]s WHEN NEW.%[2]s BEGIN SELECT RAISE(ABORT, 'secret'); END"
	inWriter(t, w, fmt.Sprintf(refuse, "spans", "task_id = 'poison'"), fmt.Sprintf(refuse, "links", "trace_state = 'poison'"),
		fmt.Sprintf(refuse, "events", "observed_ns = 13"))

	b := agentSpans(0, 512)
	for i := range b.Spans {
		b.Spans[i].Attrs["only.in.this.batch"] = "x"
	}
	bad := []int{0, 100, 101, 511}
	for _, i := range bad {
		b.Spans[i].Attrs["app.task.id"] = "poison"
	}
	b.Spans[300].Links = []evidence.Link{{To: b.Spans[0].ID, Relation: "related", TraceState: "poison"}}
	for i := range 20 {
		b.Records = append(b.Records, evidence.Record{Tenant: "acme", Time: int64(i + 1), Observed: int64(i), Step: b.Spans[i].ID})
	}

	var wg sync.WaitGroup
	for n := 1; n <= 4; n++ {
		wg.Go(func() {
			res, err := w.Write(context.Background(), agentSpans(n+8, 64))
			if err != nil || res != (evidence.WriteResult{Stored: 64}) {
				t.Errorf("another caller's batch: %+v, %v", res, err)
			}
		})
	}
	require.Equal(t, evidence.WriteResult{Stored: 507 + 19, Quarantined: 6}, write(t, w, b))
	wg.Wait()
	require.Equal(t, evidence.WriteResult{Quarantined: 6}, write(t, w, b))

	require.Equal(t, 507+4*64, spans(t, path))
	readable(t, path, 507+4*64)
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(507+4*64+19+6+1), report.Leaves, "a row that was refused left one leaf, as a refusal")
	require.Equal(t, 6, count1(t, path, "SELECT count(*) FROM quarantine WHERE reason LIKE 'a constraint of the schema refuses the row%' AND body IS NOT NULL"))
	require.Zero(t, count1(t, path, "SELECT count(*) FROM links"))
	// No run may be left that only a refused row spoke of.
	require.Zero(t, count1(t, path, "SELECT count(*) FROM run_keys WHERE kind = 1 AND key = CAST('poison' AS BLOB)"))
}

// Two collectors on one file must not give one number to two things.
func TestTwoWritersOnOneFile(t *testing.T) {
	path := newPath(t)
	writers := []*Writer{open(t, path), open(t, path)}
	var wg sync.WaitGroup
	for i, w := range writers {
		wg.Go(func() {
			for n := range 20 {
				b := agentSpans(2*n+i, 32)
				for j := range b.Spans {
					b.Spans[j].Attrs[fmt.Sprintf("key.of.%d.%d", i, n)] = "x"
					b.Spans[j].Name = fmt.Sprintf("name %d %d", i, n)
				}
				if _, err := w.Write(context.Background(), b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	// What one writer deletes, the other must not think is still there.
	_, err := writers[0].Prune(t.Context(), time.Now().Add(time.Hour*24*365), time.Now())
	require.NoError(t, err)
	require.Zero(t, count1(t, path, "SELECT count(*) FROM names"))
	for n := range 40 {
		b := agentSpans(n, 32)
		for j := range b.Spans {
			b.Spans[j].Attrs[fmt.Sprintf("key.of.%d.%d", n%2, n/2)] = "x"
			b.Spans[j].Name = fmt.Sprintf("name %d %d", n%2, n/2)
		}
		write(t, writers[1], b)
	}
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	n := 0
	require.NoError(t, r.Recent(t.Context(), evidence.Query{AllTenants: true}, func(run evidence.Run) bool {
		for _, s := range run.Spans {
			var i, m int
			_, err := fmt.Sscanf(s.Name, "name %d %d", &i, &m)
			require.NoError(t, err)
			require.Contains(t, s.Attrs, fmt.Sprintf("key.of.%d.%d", i, m))
			require.Equal(t, "acme", s.Resource["tenant.id"])
			n++
		}
		return true
	}))
	require.Equal(t, 2*20*32, n)
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
}

func TestCopyOfALiveStoreOpensElsewhere(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 64))
	elsewhere := filepath.Join(t.TempDir(), "copy.db")
	plain(t, path, fmt.Sprintf("VACUUM INTO '%s'", elsewhere))
	require.Equal(t, 64, spans(t, elsewhere))
	require.Zero(t, write(t, open(t, elsewhere), agentSpans(0, 64)).Stored)
}
