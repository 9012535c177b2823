package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func short(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// retryable demands an error that says the words, quotes no secret and may be
// tried again.
func retryable(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if errors.Is(err, evidence.ErrPermanent) {
		t.Errorf("%v is permanent, and somebody can mend it", err)
	}
	for _, secret := range []string{instance.WriterPassword, instance.ReaderPassword, "hunter2"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds a password")
		}
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

func TestServerThatIsDownAtTheStart(t *testing.T) { overBoth(t, serverThatIsDownAtTheStart) }

func serverThatIsDownAtTheStart(t *testing.T, server *instance.Instance, d *database) {
	server.Kill()
	w, err := clickhouse.Open(short(t), d.settings(now))
	if err != nil {
		t.Fatalf("a server that is down keeps the collector from starting: %v", err)
	}
	if w.Ready() {
		t.Error("a server that is down is ready")
	}
	_, err = w.Write(short(t), agentSpans(0, 2))
	retryable(t, err, "is not reachable")
	_, err = clickhouse.OpenReader(short(t), d.settings(nil))
	retryable(t, err, "is not reachable")
	server.Restart(t)
	if res := write(t, w, agentSpans(0, 2)); res.Stored != 34 || !w.Ready() {
		t.Errorf("after the server came: %+v", res)
	}
	server.Kill()
	_, err = w.Write(short(t), agentSpans(2, 2))
	retryable(t, err, "is not reachable")
	server.Restart(t)
	write(t, w, agentSpans(2, 2))
	if n := len(runs(t, d.Reader(t))); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
	_ = w.Close()
}

// The server is killed again and again while batches come. What was
// acknowledged is there afterwards, once.
func TestKilledWhileWriting(t *testing.T) { overBoth(t, killedWhileWriting) }

func killedWhileWriting(t *testing.T, server *instance.Instance, d *database) {
	w := d.Writer(t, now)
	var mu sync.Mutex
	acknowledged := map[int]bool{}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	next := 0
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.Lock()
				n := next
				next++
				mu.Unlock()
				for range 400 { // as a queue does: the same batch until it is taken
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
					_, err := w.Write(ctx, agentSpans(2*n, 2))
					cancel()
					if err == nil {
						mu.Lock()
						acknowledged[n] = true
						mu.Unlock()
						break
					}
					if errors.Is(err, evidence.ErrPermanent) {
						t.Errorf("batch %d: %v", n, err)
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	kills := 2 + *killTimes/10
	for i := range kills {
		time.Sleep(time.Duration(700+i%5*173) * time.Millisecond)
		server.Kill()
		server.Restart(t)
	}
	time.Sleep(500 * time.Millisecond)
	close(stop)
	wg.Wait()
	r := d.Reader(t)
	for n := range acknowledged {
		run, err := r.Find(context.Background(), "acme", fmt.Sprintf("task-%d", n))
		if err != nil || len(run.Spans) != 32 || len(run.Records) != 2 {
			t.Errorf("acknowledged batch %d: %d spans, %d records, %v", n, len(run.Spans), len(run.Records), err)
		}
	}
	if len(acknowledged) < 2*kills {
		t.Errorf("only %d batches were acknowledged", len(acknowledged))
	}
	spans := count(t, d, "SELECT count() FROM "+d.name+".spans FINAL")
	if want := uint64(next * 32); spans > want || spans < uint64(len(acknowledged)*32) {
		t.Errorf("%d spans of %d batches, %d of them acknowledged", spans, next, len(acknowledged))
	}
	t.Logf("%d batches acknowledged over %d kills, none lost, none doubled", len(acknowledged), kills)
	_ = w.Close()
}

func TestCredentials(t *testing.T) { overBoth(t, credentials) }

func credentials(t *testing.T, server *instance.Instance, d *database) {
	s := d.settings(now)
	s.Password = "hunter2"
	_, err := clickhouse.Open(short(t), s)
	retryable(t, err, "refuses user name or password", "username, password")
	_, err = clickhouse.OpenReader(short(t), s)
	retryable(t, err, "refuses user name or password")

	_ = d.Writer(t, now).Close()
	reader := d.settings(now)
	reader.Username, reader.Password = instance.Reader, instance.ReaderPassword
	reader.CreateSchema = false
	r, err := clickhouse.OpenReader(short(t), reader)
	if err != nil {
		t.Fatalf("a user who may only read cannot: %v", whole(err))
	}
	if got := runs(t, r); len(got) != 0 {
		t.Error("an empty store has runs")
	}
	_ = r.Close()
	w, err := clickhouse.Open(short(t), reader)
	if err == nil {
		_, err = w.Write(short(t), agentSpans(0, 1))
		_ = w.Close()
	}
	retryable(t, err, "does not let this user write", "grant")
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != 0 {
		t.Errorf("%d spans were written by somebody who may only read", n)
	}
}

// The server's disk is as good as full: it refuses with the code it would then
// have.
func TestDiskFull(t *testing.T) { overBoth(t, diskFull) }

func diskFull(t *testing.T, server *instance.Instance, d *database) {
	w := d.Writer(t, now)
	write(t, w, agentSpans(0, 2))
	conn := d.conn(t)
	alter := func(bytes string) {
		t.Helper()
		if err := conn.Exec(context.Background(), "ALTER TABLE "+d.name+".spans MODIFY SETTING min_free_disk_bytes_to_perform_insert = "+bytes); err != nil {
			t.Fatal(err)
		}
	}
	alter("1000000000000000")
	_, err := w.Write(short(t), agentSpans(2, 2))
	retryable(t, err, "no disk space")
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans FINAL"); n != 32 {
		t.Errorf("%d spans, want those that were acknowledged", n)
	}
	alter("0")
	if res := write(t, w, agentSpans(2, 2)); res.Stored < 32 {
		t.Errorf("%+v after there was room, want all spans stored", res)
	}
	if got := runs(t, d.Reader(t)); len(got) != 2 || len(got[0].Spans) != 32 || len(got[1].Spans) != 32 {
		t.Errorf("%d runs after there was room", len(got))
	}
	_ = w.Close()
}

// slowly passes bytes on after a delay, or cuts connections off after some.
type slowly struct {
	mu    sync.Mutex
	to    string
	delay time.Duration
	cut   int64 // bytes of a request after which the connection ends; 0 is never
}

func (s *slowly) listen(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.pass(c)
		}
	}()
	return l.Addr().String()
}

func (s *slowly) pass(in net.Conn) {
	defer in.Close()
	s.mu.Lock()
	delay, cut := s.delay, s.cut
	s.mu.Unlock()
	out, err := net.Dial("tcp", s.to)
	if err != nil {
		return
	}
	defer out.Close()
	done := make(chan struct{}, 2)
	go func() {
		time.Sleep(delay)
		if cut > 0 {
			_, _ = io.CopyN(out, in, cut)
		} else {
			_, _ = io.Copy(out, in)
		}
		done <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(in, out)
		done <- struct{}{}
	}()
	<-done
}

func (s *slowly) set(delay time.Duration, cut int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay, s.cut = delay, cut
}

func TestSlowServerAndTornConnection(t *testing.T) { overBoth(t, slowServerAndTornConnection) }

func slowServerAndTornConnection(t *testing.T, server *instance.Instance, d *database) {
	_ = d.Writer(t, now).Close()
	between := &slowly{to: d.addr()}
	s := d.settings(now)
	s.DSN = strings.Replace(s.DSN, d.addr(), between.listen(t), 1) + "?max_idle_conns=1&conn_max_lifetime=1ms"
	w, err := clickhouse.Open(short(t), s)
	if err != nil {
		t.Fatal(whole(err))
	}
	between.set(3*time.Second, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	_, err = w.Write(ctx, agentSpans(0, 2))
	cancel()
	retryable(t, err)
	for _, cut := range []int64{200, 1500, 4000, 20_000} {
		between.set(0, cut)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		_, err = w.Write(ctx, agentSpans(0, 2))
		cancel()
		if err != nil {
			retryable(t, err)
		}
	}
	between.set(0, 0)
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err = w.Write(short(t), agentSpans(0, 2)); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		t.Fatal(whole(err))
	}
	got := runs(t, d.Reader(t))
	if len(got) != 1 || len(got[0].Spans) != 32 || len(got[0].Records) != 2 {
		t.Errorf("%d runs after the connection was torn", len(got))
	}
	_ = w.Close()
}

// Rows that only the server refuses are found by bisection.
func TestRefusedRowsAreBisectedOut(t *testing.T) { overBoth(t, refusedRowsAreBisectedOut) }

func refusedRowsAreBisectedOut(t *testing.T, server *instance.Instance, d *database) {
	w := d.Writer(t, now)
	conn := d.conn(t)
	for _, statement := range []string{
		"ALTER TABLE " + d.name + ".spans ADD CONSTRAINT refuse CHECK status_message != 'poison'",
		"ALTER TABLE " + d.name + ".events ADD CONSTRAINT refuse CHECK severity != 'poison'",
	} {
		if err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	b := agentSpans(0, 2)
	for _, i := range []int{0, 10, 11, 31} {
		b.Spans[i].StatusMessage = "poison"
		b.Spans[i].Attrs["hunter2"] = "hunter2"
	}
	b.Records[1].Severity = "poison"
	for _, want := range []evidence.WriteResult{{Stored: 28 + 1, Quarantined: 5}, {Quarantined: 5}} {
		if res := write(t, w, b); res != want {
			t.Errorf("%+v, want %+v", res, want)
		}
	}
	reasons := d.Quarantine(t)
	if len(reasons) != 5 {
		t.Errorf("%d rows in the quarantine, want 5", len(reasons))
	}
	for _, r := range reasons {
		if !strings.Contains(r, "a constraint of the schema refuses the row (ClickHouse code 469)") {
			t.Errorf("reason %q", r)
		}
	}
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans FINAL"); n != 28 {
		t.Errorf("%d spans, want 28", n)
	}
	_ = w.Close()
}

// Clocks of agents that are years apart would make more partitions than one
// insert may have; no row is lost by that.
func TestTimesOfManyMonths(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := d.Writer(t, now)
	var b evidence.Batch
	const months = 110 // a server takes 100 partitions in one insert
	for i := range months {
		at := clock.AddDate(0, -i, 0).UnixNano()
		b.Spans = append(b.Spans, evidence.Span{ID: stepID(i, 0), Start: at, End: at + 1})
	}
	if res := write(t, w, b); res.Quarantined != 0 || res.Stored != months {
		t.Errorf("%+v, want all of %d stored", res, months)
	}
	if n := len(runs(t, d.Reader(t))); n != months {
		t.Errorf("%d runs, want %d", n, months)
	}
	_ = w.Close()
}
