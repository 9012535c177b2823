package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// Writer is the writing side of a store. Batches that wait at the same time
// are inserted as one, since every insert makes a part that the server has to
// merge.
type Writer struct {
	settings Settings
	c        *client

	mu     sync.RWMutex // guards closed against sends
	closed bool
	work   chan *request
	done   sync.WaitGroup

	gathering sync.Mutex // held by the one that waits for requests
	crowd     crowd
	patience  time.Duration

	// ready is set when the schema was found or made as it should be.
	ensuring sync.Mutex
	ready    bool

	// What the store is known to have, so that it is not sent again.
	memory memory
	log    *rowLog // nil if none is kept
	sheets sheets
}

var _ evidence.Writer = (*Writer)(nil)

// request is one caller's batch.
type request struct {
	ctx    context.Context
	batch  *sheet
	result evidence.WriteResult
	err    error
	done   chan struct{}
}

// maxGroup is the most rows that are inserted as one.
const maxGroup = 65536

// Open opens the store for writing. A server that refuses these settings, or
// whose tables are not as they should be, is an error; one that is not
// reachable is not: it is asked again by every write until it answers.
func Open(ctx context.Context, s Settings) (*Writer, error) {
	s.defaults()
	c, err := connect(&s)
	if err != nil {
		return nil, err
	}
	w := &Writer{settings: s, c: c, work: make(chan *request, 64), patience: patience}
	if w.log, err = newLog(&w.settings, c); err != nil {
		_ = c.close()
		return nil, err
	}
	if err := w.ensure(ctx); err != nil && !unreachable(err) {
		_ = c.close()
		return nil, told(c.place, err)
	}
	for range s.Inserts {
		w.done.Add(1)
		go w.run()
	}
	return w, nil
}

// Ready reports whether the server has answered and has all tables.
func (w *Writer) Ready() bool {
	w.ensuring.Lock()
	defer w.ensuring.Unlock()
	return w.ready
}

// ensure makes or checks the schema, once.
func (w *Writer) ensure(ctx context.Context) error {
	w.ensuring.Lock()
	defer w.ensuring.Unlock()
	if w.ready {
		return nil
	}
	var err error
	if w.settings.CreateSchema {
		err = w.c.migrate(ctx, w.settings.now())
	} else {
		err = w.c.check(ctx, w.settings.Retains)
	}
	if err == nil {
		err = w.unlogged(ctx)
	}
	if err == nil && w.log != nil {
		err = w.log.open(ctx)
	}
	if err == nil && w.settings.CreateSchema {
		// What the server will delete is signed before it may.
		err = w.c.settleTTL(ctx, func() error { return w.log.state(ctx) })
	}
	if err == nil {
		err = w.countPrunings(ctx)
	}
	w.ready = err == nil
	return err
}

// unlogged refuses to go on without a log in a store that has one: what this
// writer deletes would be missing to whoever verifies, and what it stores would
// be nobody's. A command begins no log in a store that has none.
func (w *Writer) unlogged(ctx context.Context) error {
	if w.log != nil && !w.settings.KeepKey {
		return nil
	}
	var heads uint64
	err := w.c.one(ctx, "SELECT count() FROM "+w.c.layout.spread("log_heads"), &heads)
	if err == nil && heads == 0 {
		w.log = nil
	}
	if err == nil && heads > 0 && w.log == nil {
		err = fmt.Errorf("evidence store %s has a signed log, and this collector keeps none: verify would miss what it deletes, and cover nothing that it stores; keep the log (ledger.enabled), use another database, or give the log up for all (TRUNCATE TABLE log_leaves, log_heads)", w.c.place)
	}
	return err
}

// Write stores the batch and returns when the server has it. If ctx ends before,
// the batch may still be stored; sending it again does no harm.
func (w *Writer) Write(ctx context.Context, b evidence.Batch) (evidence.WriteResult, error) {
	return w.write(ctx, func(sh *sheet) { sh.take(b) })
}

// WriteTraces is Write for what FromTraces makes of td, with less work. It keeps
// nothing of td but its texts.
func (w *Writer) WriteTraces(ctx context.Context, td ptrace.Traces) (evidence.WriteResult, error) {
	return w.write(ctx, func(sh *sheet) { sh.takeTraces(td) })
}

func (w *Writer) write(ctx context.Context, take func(*sheet)) (evidence.WriteResult, error) {
	w.crowd.come()
	defer w.crowd.leave()
	r := &request{ctx: ctx, batch: w.sheets.get(w.settings.MaxRowBytes), done: make(chan struct{})}
	take(r.batch)
	w.mu.RLock()
	if w.closed {
		w.mu.RUnlock()
		return evidence.WriteResult{}, ErrClosed
	}
	select {
	case w.work <- r:
		w.mu.RUnlock()
	case <-ctx.Done():
		w.mu.RUnlock()
		return evidence.WriteResult{}, ctx.Err()
	}
	select {
	case <-r.done:
		w.sheets.put(r.batch)
		return r.result, r.err
	case <-ctx.Done():
		return evidence.WriteResult{}, ctx.Err()
	}
}

// Close stores what waits, then closes the connections. It may be called again.
func (w *Writer) Close() error {
	w.mu.Lock()
	first := !w.closed
	if first {
		w.closed = true
		close(w.work)
	}
	w.mu.Unlock()
	w.done.Wait()
	if !first {
		return nil
	}
	return w.c.close()
}

func (w *Writer) run() {
	defer w.done.Done()
	for group := w.gather(); group != nil; group = w.gather() {
		w.serve(group)
		w.crowd.serve(-len(group))
		for _, r := range group {
			close(r.done)
		}
	}
}

// serve stores a group as one; if a row in it is refused, each batch by itself.
func (w *Writer) serve(group []*request) {
	var waiting []*request
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err == nil { // else nobody waits for it
			waiting = append(waiting, r)
		}
	}
	if len(waiting) == 0 {
		return
	}
	ctx, cancel := together(waiting)
	defer cancel()
	var fresh *inserted
	err := w.ensure(ctx)
	if err == nil && len(waiting) > 1 {
		if fresh, err = w.storeTogether(ctx, waiting); err == nil {
			return
		}
		if _, bad := poison(err); bad {
			err = nil
		}
	}
	for _, r := range waiting {
		if r.err = err; err == nil {
			r.result, r.err = w.store(r.ctx, &r.batch.part, fresh)
		}
		if r.err != nil {
			r.result, r.err = evidence.WriteResult{}, told(w.c.place, r.err)
		}
	}
}

// together is a context that ends when those of all requests have ended: none
// of them may interrupt the others.
func together(group []*request) (context.Context, context.CancelFunc) {
	if len(group) == 1 {
		return group[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(group[0].ctx))
	stop := make(chan struct{})
	go func() {
		for _, r := range group {
			select {
			case <-r.ctx.Done():
			case <-stop:
				return
			}
		}
		cancel()
	}()
	return ctx, sync.OnceFunc(func() { close(stop); cancel() })
}

// storeTogether stores several batches as one and tells each its own count.
func (w *Writer) storeTogether(ctx context.Context, group []*request) (*inserted, error) {
	var all []*part
	for _, r := range group {
		if len(r.batch.refused) > 0 {
			return nil, &intake.RowError{Reason: "a row of the group is refused"} // each by itself
		}
		all = append(all, &r.batch.part)
	}
	fresh, err := w.insert(ctx, all, nil)
	if err == nil {
		for _, r := range group {
			r.result = fresh.of(&r.batch.part)
		}
	}
	return fresh, err
}

// store stores one batch and bisects it as long as a row of it is refused. fresh
// is what was found out of its rows before, nil if nothing was.
func (w *Writer) store(ctx context.Context, b *part, fresh *inserted) (res evidence.WriteResult, err error) {
	if len(b.refused) > 0 {
		if err := w.quarantine(ctx, b.refused); err != nil {
			if _, bad := poison(err); bad {
				return res, fmt.Errorf("%w: its quarantine refuses a row too: %w", evidence.ErrPermanent, err)
			}
			return res, err
		}
		res.Quarantined = len(b.refused)
	}
	if b.len() == 0 {
		return res, nil
	}
	fresh, err = w.insert(ctx, []*part{b}, fresh)
	if err == nil {
		r := fresh.of(b)
		res.Stored += r.Stored
		return res, nil
	}
	reason, bad := poison(err)
	if !bad {
		return res, err
	}
	parts := []*part{}
	if b.len() == 1 {
		parts = append(parts, b.refuse(reason))
	} else {
		halves := b.split()
		parts = append(parts, halves[:]...)
	}
	for _, p := range parts {
		r, err := w.store(ctx, p, fresh)
		if err != nil {
			return res, err
		}
		res.Stored += r.Stored
		res.Quarantined += r.Quarantined
	}
	return res, nil
}

// Size returns the bytes that the store takes on the server's disks.
func (w *Writer) Size() (int64, error) {
	if !w.Ready() {
		return 0, errors.New("the store has not been reached yet")
	}
	var size uint64
	ctx, cancel := context.WithTimeout(context.Background(), sizeTimeout)
	defer cancel()
	err := w.c.each(ctx, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = "+quoteText(w.c.layout.database),
		func(scan func(...any) error) error { return scan(&size) })
	return int64(size), told(w.c.place, err)
}
