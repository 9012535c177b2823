package sqlite

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// Settings is what the store is told by the program around it.
type Settings struct {
	// Now is asked for the time of storing. Without it every time that a row
	// states is believed, however wrong.
	Now func() time.Time
	// MaxRowBytes is the most that one span or record may take; more goes to
	// the quarantine. 0 means 16 MiB.
	MaxRowBytes int
	// BusyTimeout is how long a write waits for another process that writes to
	// the same file. 0 means five seconds.
	BusyTimeout time.Duration
	// KeyFile holds the key that signs the log over the rows; it is made if it is
	// not there. Empty means the store's path with .key behind it.
	KeyFile string
	// KeepKey refuses a store whose log another key than that of KeyFile has signed,
	// and makes no key for it. Without it the log goes on with the key that is there,
	// or is made, and says so.
	KeepKey bool
	// KeyChanged is told when the log goes on with another key, both by their names.
	KeyChanged func(before, now string)
	// Random makes keys and names of logs. nil means crypto/rand.
	Random io.Reader

	key ledger.Key
}

// KeyFile is where the signing key of a store lies that nobody configured.
func KeyFile(path string) string { return path + ".key" }

// signer reads the key, or makes it, the first time that it is needed.
func (s *Settings) signer() (key ledger.Key, err error) {
	if s.key.Signer == nil {
		s.key, err = ledger.LoadKey(s.KeyFile, s.Random)
	}
	return s.key, err
}

func (s *Settings) defaults(path string) {
	if s.KeyFile == "" {
		s.KeyFile = KeyFile(path)
	}
	if s.Random == nil {
		s.Random = rand.Reader
	}
	if s.MaxRowBytes == 0 {
		s.MaxRowBytes = 16 << 20
	}
	if s.BusyTimeout == 0 {
		s.BusyTimeout = 5 * time.Second
	}
}

func (s *Settings) now() int64 {
	if s.Now == nil {
		return 0
	}
	return s.Now().UnixNano()
}

// Writer is the writing side of a store. A goroutine of its own writes; batches
// that wait for it at the same time share one commit.
type Writer struct {
	path     string
	settings Settings
	known    []migration

	mu     sync.RWMutex // guards closed against sends
	closed bool
	work   chan *request
	done   chan struct{}

	c        *connection // owned by the goroutine; nil while there is none
	closeErr error
}

var _ evidence.Writer = (*Writer)(nil)

// request is a batch to store, or else a step to take, in a transaction.
type request struct {
	ctx   context.Context
	batch *intake.Batch
	step  func(c *connection) error
	after func(c *connection) error // what is to be done outside of a transaction

	result evidence.WriteResult
	err    error
	done   chan struct{}
}

// maxGroup is the most rows that share a commit.
const maxGroup = 8192

// Write stores the batch and returns when it is on disk. If ctx ends before, the
// batch may still be stored; sending it again does no harm.
func (w *Writer) Write(ctx context.Context, b evidence.Batch) (evidence.WriteResult, error) {
	r := &request{ctx: ctx, batch: intake.Prepare(b, w.settings.MaxRowBytes, intake.Merged)}
	err := w.do(r)
	if err != nil {
		return evidence.WriteResult{}, err
	}
	return r.result, nil
}

// do hands a request to the goroutine and waits for it.
func (w *Writer) do(r *request) error {
	r.done = make(chan struct{})
	w.mu.RLock()
	if w.closed {
		w.mu.RUnlock()
		return ErrClosed
	}
	select {
	case w.work <- r:
		w.mu.RUnlock()
	case <-r.ctx.Done():
		w.mu.RUnlock()
		return r.ctx.Err()
	}
	if r.step != nil { // it shares memory with its caller, and is short
		<-r.done
		return r.err
	}
	select {
	case <-r.done:
		return r.err
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// Close stores what waits, then closes the file. It may be called again.
func (w *Writer) Close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.work)
	}
	w.mu.Unlock()
	<-w.done
	return w.closeErr
}

func (w *Writer) run() {
	defer close(w.done)
	for r := range w.work {
		group := []*request{r}
		for rows := r.rows(); rows < maxGroup && len(w.work) > 0; {
			next, ok := <-w.work
			if !ok {
				break
			}
			group = append(group, next)
			rows += next.rows()
		}
		w.serve(group)
	}
	if w.c != nil {
		w.closeErr = w.c.close()
	}
}

func (r *request) rows() int {
	if r.batch == nil {
		return maxGroup
	}
	return r.batch.Len()
}

// serve runs the requests in one transaction and answers them after its commit.
func (w *Writer) serve(group []*request) {
	err := w.transact(group)
	for _, r := range group {
		if err != nil && r.err == nil {
			r.err = err
		}
		close(r.done)
	}
}

func (w *Writer) transact(group []*request) error {
	if w.c == nil {
		c, err := connect(w.path, w.known, &w.settings)
		if err != nil {
			return err
		}
		w.c = c
	}
	now := w.settings.now()
	err := w.c.begin(now)
	if err == nil {
		err = w.steps(group, now)
	}
	if err == nil {
		err = w.c.commit(now)
	}
	if err == nil {
		for _, r := range group {
			if r.after != nil {
				r.err = r.after(w.c)
			}
		}
		return nil
	}
	w.c.rollback()
	if broken(err) {
		_ = w.c.close()
		w.c = nil
	}
	return fmt.Errorf("write evidence store %s: %w", w.path, err)
}

func (w *Writer) steps(group []*request, now int64) (err error) {
	for _, r := range group {
		switch {
		case r.ctx.Err() != nil: // nobody waits for it any more
			r.err = r.ctx.Err()
		case r.batch != nil:
			if r.result, err = w.c.store(r.batch, now); err != nil {
				return err
			}
		default:
			if err = r.step(w.c); err != nil {
				return err
			}
		}
	}
	return nil
}

// Size returns the bytes that the store takes on disk: the database and its
// write-ahead log.
func (w *Writer) Size() (int64, error) { return sizeOf(w.path) }
