package store

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// gate passes requests on to a server until a number of inserts went through, and
// kills the server before or after the next.
type gate struct {
	left  atomic.Int64
	after bool
	kill  func()
	pass  http.Handler
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	insert := strings.HasPrefix(r.URL.Query().Get("query"), "INSERT")
	if !insert || g.left.Add(-1) >= 0 {
		g.pass.ServeHTTP(w, r)
		return
	}
	if g.after {
		g.pass.ServeHTTP(&discarded{header: http.Header{}}, r)
	}
	g.kill()
	panic(http.ErrAbortHandler)
}

// discarded is an answer that nobody gets.
type discarded struct{ header http.Header }

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarded) WriteHeader(int)             {}

// The engine is killed after each insert of a batch, and the collector
// with it. Nobody is accused, and when the batch comes again it is proved.
func TestKilledBetweenInserts(t *testing.T) {
	t.Parallel()
	server := instance.Start(t)
	target, err := url.Parse("http://" + server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	whole, broke, unsettled := 0, 0, int64(0)
	d := fresh(server)
	for n := int64(0); whole == 0; n++ {
		for _, after := range []bool{n > 0, true}[:1+max(0, 1-n)] {
			d.empty(t)
			d.key = filepath.Join(server.Folder(), fmt.Sprintf("%d_%t.key", n, after))
			w := d.Writer(t, now)
			write(t, w, agentSpans(0, 1))
			_ = w.Close()
			pass := httputil.NewSingleHostReverseProxy(target)
			pass.ErrorLog = log.New(io.Discard, "", 0)
			g := &gate{after: after, kill: server.Kill, pass: pass}
			g.left.Store(n)
			front := &http.Server{Handler: g, ReadHeaderTimeout: time.Minute}
			s := d.settings(now)
			s.DSN = strings.Replace(s.DSN, server.Addr, listen(t, front), 1)
			if w, err = clickhouse.Open(short(t), s); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			_, err := w.Write(ctx, agentSpans(1, 2))
			cancel()
			if err == nil {
				whole++
				_ = w.Close()
				_ = front.Close()
				continue
			}
			broke++
			_ = w.Close()
			_ = front.Close()
			server.Restart(t)
			r := clean(t, "after the kill", verified(t, d, clock, nil))
			if r.Present != 17 && r.Present != 17+34 || r.Unlogged != 0 { // all, if the last of them came
				t.Errorf("%d inserts, after %t: %d rows are proved, %d have no leaf", n, after, r.Present, r.Unlogged)
			}
			unsettled += r.Unsettled
			next := d.Writer(t, now)
			write(t, next, agentSpans(1, 2))
			_ = next.Close()
			if r := clean(t, "sent again", verified(t, d, clock, nil)); r.Present != 17+34 || r.Unlogged != 0 || r.Unsettled != 0 {
				t.Errorf("%d inserts, after %t, sent again: %d rows are proved, %d have no leaf", n, after, r.Present, r.Unlogged)
			}
		}
	}
	if broke < 9 || unsettled == 0 {
		t.Errorf("%d kills that left %d rows unsettled, want more", broke, unsettled)
	}
	t.Logf("%d kills between inserts, %d rows left unsettled by them", broke, unsettled)
}

func listen(t *testing.T, s *http.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// A head of which it is not known whether it came is sent again with the next.
func TestHeadsThatGetLost(t *testing.T) {
	server := instance.Start(t)
	target, err := url.Parse("http://" + server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, came := range map[string]bool{"before it came": false, "after it came": true} {
		t.Run(name, func(t *testing.T) {
			pass := httputil.NewSingleHostReverseProxy(target)
			var lost atomic.Bool
			front := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Query().Get("query"), "log_heads") && lost.CompareAndSwap(false, true) {
					if came {
						pass.ServeHTTP(&discarded{header: http.Header{}}, r)
					}
					panic(http.ErrAbortHandler)
				}
				pass.ServeHTTP(w, r)
			})}
			d := fresh(server)
			s := d.settings(now)
			s.DSN = strings.Replace(s.DSN, server.Addr, listen(t, front), 1)
			w := opened(t, s)
			defer w.Close()
			if _, err := w.Write(short(t), agentSpans(0, 1)); err == nil {
				t.Fatal("a batch was acknowledged that nothing signed")
			}
			if r := clean(t, "lost", verified(t, d, clock, nil)); (r.Present == 17) != came || r.Unsettled != 17-r.Present {
				t.Errorf("%d rows are proved, %d announced", r.Present, r.Unsettled)
			}
			write(t, w, agentSpans(1, 1))
			if r := clean(t, "the next batch", verified(t, d, clock, nil)); r.Present != 34 || r.Announced != 0 {
				t.Errorf("%d rows are proved, %d leaves announced", r.Present, r.Announced)
			}
			write(t, w, agentSpans(0, 1))
			if r := clean(t, "sent again", verified(t, d, clock, nil)); r.Present != 34 || r.Leaves != 35 {
				t.Errorf("%d rows are proved by %d leaves", r.Present, r.Leaves)
			}
		})
	}
}
