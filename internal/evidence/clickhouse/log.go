package clickhouse

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// rowLog is the log of one writer over the rows that it stores. A batch announces
// its leaves as a chunk, stores its rows, and then has the chunk placed in the
// tree and signed. A chunk whose batch broke off is never placed.
type rowLog struct {
	c        *client
	settings *Settings
	key      ledger.Key // none yet if it is to be kept and nothing was signed
	origin   string

	beginning sync.Mutex // held while the log begins
	begun     bool

	mu      sync.Mutex
	next    int64 // number of the next chunk
	tree    ledger.Tree
	waiting []*chunk  // whose rows are there
	pending []headRow // placed, and not known to be in the table

	settling sync.Mutex // held while heads are inserted
	settled  settledRows
}

// chunk is leaves on their way into the log.
type chunk struct {
	number int64
	data   []byte // as Leaf.Append wrote them
	entry  string
	hashes []ledger.Hash
	keys   []rowKey
	signed bool // guarded by rowLog.settling
}

type headRow struct {
	chunk      *chunk
	size, made int64
	note       []byte
}

const originBytes = 16

// newLog returns the log of a writer, nil if its settings name no key. A
// collector that cannot have its key does not start.
func newLog(s *Settings, c *client) (*rowLog, error) {
	if s.KeyFile == "" {
		return nil, nil
	}
	l := &rowLog{c: c, settings: s}
	if s.KeepKey {
		return l, nil // which open looks at, and begin makes
	}
	return l, l.load()
}

func (l *rowLog) load() (err error) {
	var name [originBytes]byte
	if _, err := io.ReadFull(l.settings.Random, name[:]); err != nil {
		return err
	}
	l.origin = ledger.KeyName + "/" + hex.EncodeToString(name[:])
	l.key, err = ledger.LoadKey(l.settings.KeyFile, l.settings.Random)
	return err
}

// begin announces that the log begins, once. Its first leaf says what was there.
func (l *rowLog) begin(ctx context.Context) error {
	l.beginning.Lock()
	defer l.beginning.Unlock()
	if l.begun {
		return nil
	}
	if l.key.Signer == nil {
		if err := l.load(); err != nil {
			return err
		}
	}
	e := ledger.Entry{What: ledger.Begun, Origin: l.origin, Key: l.key.Verifier}
	err := l.c.each(ctx, "SELECT argMax(note, (made_ns, size)) FROM "+l.c.layout.spread("log_heads")+" GROUP BY signer ORDER BY signer", func(scan func(...any) error) error {
		var note string
		err := scan(&note)
		e.After = append(e.After, note)
		return err
	})
	if err == nil && len(e.After) == 0 {
		// Rows may be there that no log is of.
		var spans, records, refused uint64
		err = l.c.one(ctx, fmt.Sprintf("SELECT (SELECT count() FROM %s), (SELECT count() FROM %s), (SELECT count() FROM %s)",
			l.c.layout.spread("spans"), l.c.layout.spread("events"), l.c.layout.spread("quarantine")), &spans, &records, &refused)
		e.Before = int64(spans + records + refused)
	}
	if err != nil {
		return err
	}
	if l.settings.CreateSchema || l.settings.Retains { // else the tables are kept as others have set
		e.Kept = &ledger.Kept{Evidence: int64(l.settings.Evidence.Seconds()), Records: int64(l.settings.Records.Seconds())}
	}
	first, err := entryChunk(&e, l.settings.now())
	if err == nil {
		err = l.send(ctx, first)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, first)
	l.begun = true
	return nil
}

// state begins the log and signs its beginning, which says how long rows are kept.
func (l *rowLog) state(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if err := l.begin(ctx); err != nil {
		return err
	}
	return l.settleAll(ctx)
}

func entryChunk(e *ledger.Entry, now int64) (*chunk, error) {
	text, digest, err := e.Encode()
	c := &chunk{entry: text}
	c.add(&ledger.Leaf{Kind: ledger.Note, Age: now, Instead: ledger.None, Content: digest})
	return c, err
}

func (c *chunk) add(leaf *ledger.Leaf) {
	from := len(c.data)
	c.data = leaf.Append(c.data)
	c.hashes = append(c.hashes, ledger.HashLeaf(c.data[from:]))
	c.keys = append(c.keys, rowKey(leaf.Content[:]))
}

// add puts a leaf into a chunk, unless this log is known to have it.
func (l *rowLog) add(c *chunk, leaf *ledger.Leaf) {
	if !l.settled.has(rowKey(leaf.Content[:])) {
		c.add(leaf)
	}
}

// announce sends leaves before their rows.
func (l *rowLog) announce(ctx context.Context, c *chunk) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	return l.send(ctx, c)
}

func (l *rowLog) send(ctx context.Context, c *chunk) error {
	l.mu.Lock()
	c.number = l.next
	l.next++
	l.mu.Unlock()
	note, err := ledger.Announce(l.origin, c.number, c.data, l.key)
	if err != nil {
		return err
	}
	return l.c.insert(ctx, "log_leaves", fmt.Sprintf("%s:%d", l.origin, c.number), func(a *appender) error {
		a.put(l.origin, c.number, c.data, c.entry, note)
		return a.row()
	})
}

// settle places a chunk whose rows are there, and returns when a signed head that
// covers it is. One insert serves all chunks that wait for it. Heads are sent in
// the order of the tree: one of which it is not known whether it came is sent
// again with the next.
func (l *rowLog) settle(ctx context.Context, c *chunk) error {
	l.mu.Lock()
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	l.settling.Lock()
	defer l.settling.Unlock()
	if c.signed {
		return nil
	}
	return l.sendHeads(ctx)
}

// settleAll is settle for whatever waits.
func (l *rowLog) settleAll(ctx context.Context) error {
	l.settling.Lock()
	defer l.settling.Unlock()
	return l.sendHeads(ctx)
}

func (l *rowLog) sendHeads(ctx context.Context) error {
	heads, err := l.place()
	if err == nil && len(heads) > 0 {
		err = l.insertHeads(ctx, heads)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.pending = l.pending[:0]
	l.mu.Unlock()
	for _, h := range heads {
		h.chunk.signed = true
		l.settled.add(h.chunk.keys)
	}
	return nil
}

// place puts all chunks that wait into the tree and returns the heads to send.
func (l *rowLog) place() ([]headRow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.settings.now()
	for len(l.waiting) > 0 {
		c := l.waiting[0]
		for _, h := range c.hashes {
			l.tree.AddHash(h)
		}
		point := ledger.Checkpoint{Origin: l.origin, Size: l.tree.Size, Root: l.tree.Root()}
		note, err := point.Sign(l.key)
		if err != nil {
			return nil, err
		}
		l.waiting = l.waiting[1:]
		l.pending = append(l.pending, headRow{c, point.Size, now, note})
	}
	return append([]headRow(nil), l.pending...), nil
}

func (l *rowLog) insertHeads(ctx context.Context, heads []headRow) error {
	signer := ledger.NameOf(l.key.Verifier)
	token := fmt.Sprintf("%s:%d:%d", l.origin, heads[0].size, heads[len(heads)-1].size)
	return l.c.insert(ctx, "log_heads", token, func(a *appender) error {
		for i := range heads {
			h := &heads[i]
			a.put(l.origin, h.size, h.chunk.number, signer, h.made, h.note)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

// record logs what the writer is about to do to the store.
func (l *rowLog) record(ctx context.Context, e ledger.Entry) error {
	c, err := entryChunk(&e, l.settings.now())
	if err == nil {
		err = l.announce(ctx, c)
	}
	if err == nil {
		err = l.settle(ctx, c)
	}
	return err
}
