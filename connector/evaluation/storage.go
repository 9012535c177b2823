package evaluation

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

// keepEvery is how often what is remembered goes to the storage. Results that
// wait are there before they are acknowledged.
const keepEvery = 5 * time.Second

// store keeps waiting results, each under its number, and what is remembered in
// chunks, each with what changed. Without a client it keeps nothing.
type store struct {
	client storage.Client
	mu     sync.Mutex
	held   numbers // numbers of waiting results
	chunks numbers // numbers of chunks
	times  map[uint64]time.Time
}

// numbers is a range, the end not included.
type numbers struct{ first, end uint64 }

func (s numbers) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.first), s.end)
}

func decodeNumbers(b []byte) numbers {
	if len(b) != 16 {
		return numbers{}
	}
	return numbers{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

const (
	heldRange  = "held"
	chunkRange = "memory"
)

func heldKey(n uint64) string  { return fmt.Sprintf("%s/%d", heldRange, n) }
func chunkKey(n uint64) string { return fmt.Sprintf("%s/%d", chunkRange, n) }

// hold writes results that begin to wait.
func (s *store) hold(ctx context.Context, all []*judge.Held) error {
	if s.client == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ops []*storage.Operation
	r := s.held
	for _, h := range all {
		if r.first == r.end {
			r.first = h.Seq
		}
		r.end = max(r.end, h.Seq+1)
		ops = append(ops, storage.SetOperation(heldKey(h.Seq), append(binary.BigEndian.AppendUint64(nil, uint64(h.Since)), h.Data...)))
	}
	if err := s.client.Batch(ctx, append(ops, storage.SetOperation(heldRange, r.encode()))...); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	s.held = r
	return nil
}

// let forgets results that no longer wait.
func (s *store) let(ctx context.Context, all []*judge.Held) error {
	if s.client == nil {
		return nil
	}
	var ops []*storage.Operation
	for _, h := range all {
		ops = append(ops, storage.DeleteOperation(heldKey(h.Seq)))
	}
	return s.client.Batch(ctx, ops...)
}

func (s *store) close(ctx context.Context) error {
	if s.client == nil {
		return nil
	}
	c := s.client
	s.client = nil
	return c.Close(ctx)
}

// keep writes what was noted since the last time, and forgets chunks that are
// older than the window. With no time it writes all, in one chunk.
func (c *court) keep(ctx context.Context, since time.Time) {
	s := c.store
	if s.client == nil {
		return
	}
	now := c.now()
	c.mu.Lock()
	data, err := c.memory.Changed(since)
	oldest := c.waiting.First()
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ops []*storage.Operation
	r := s.chunks
	if data != nil {
		ops = append(ops, storage.SetOperation(chunkKey(r.end), data))
		s.times[r.end] = now
		r.end++
	}
	for r.first < r.end && (since.IsZero() && r.first+1 < r.end || s.times[r.first].Before(now.Add(-c.cfg.Window))) {
		ops = append(ops, storage.DeleteOperation(chunkKey(r.first)))
		delete(s.times, r.first)
		r.first++
	}
	s.held.first = min(max(s.held.first, oldest), s.held.end)
	if err == nil {
		err = s.client.Batch(ctx, append(ops, storage.SetOperation(chunkRange, r.encode()), storage.SetOperation(heldRange, s.held.encode()))...)
	}
	if err != nil {
		c.logger.Warn("what is remembered is not kept", zap.Error(err))
		return
	}
	s.chunks = r
}

// restore reads what was kept before.
func (c *court) restore(ctx context.Context, host component.Host) error {
	ext, ok := host.GetExtensions()[*c.cfg.Storage]
	if !ok {
		return fmt.Errorf("storage: no extension %s; list it under service.extensions", c.cfg.Storage)
	}
	keeper, ok := ext.(storage.Extension)
	if !ok {
		return fmt.Errorf("storage: extension %s keeps no state; name a storage extension such as file_storage", c.cfg.Storage)
	}
	client, err := keeper.GetClient(ctx, component.KindConnector, c.id, "")
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	s := c.store
	s.client, s.times = client, map[uint64]time.Time{}
	get := func(key string) []byte {
		b, e := client.Get(ctx, key)
		if e != nil && err == nil {
			err = fmt.Errorf("storage: %w", e)
		}
		return b
	}
	s.chunks, s.held = decodeNumbers(get(chunkRange)), decodeNumbers(get(heldRange))
	now := c.now()
	for n := s.chunks.first; n < s.chunks.end && err == nil; n++ {
		s.times[n] = now
		if data := get(chunkKey(n)); data != nil {
			if e := c.memory.Restore(data); e != nil {
				c.logger.Warn("a part of what was remembered cannot be read and is forgotten", zap.Error(e))
			}
		}
	}
	for n := s.held.first; n < s.held.end && err == nil; n++ {
		if data := get(heldKey(n)); len(data) > 8 {
			c.resume(n, data, now)
		}
	}
	return err
}

// resume lets a kept result wait again; one that needs not wait is due at once.
func (c *court) resume(n uint64, data []byte, now time.Time) {
	h := &judge.Held{Seq: n, Since: int64(binary.BigEndian.Uint64(data)), Data: data[8:]}
	ld, err := judge.Decode(h.Data)
	if err != nil {
		c.logger.Error("a result that waited cannot be read and is dropped", zap.Error(err))
		return
	}
	c.memory.Read(ld, now, func(a judge.Arrival) {
		if len(a.Wait) == 0 {
			h.Since = 0
		}
		h.Rename(a.Wait)
	})
	for _, out := range c.waiting.Put(h) {
		out.Since = 0
		c.logger.Warn("a result that waited has no room and is dropped; raise max_waiting or max_waiting_mib")
	}
}
