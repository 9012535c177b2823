package tailpolicy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
)

// storage is the log and how often it is synced.
type storage struct {
	*runlog.Log
	interval time.Duration
	always   bool
}

// openStorage opens the log, tells the state what an earlier process decided, and
// gives it what that one held.
func (p *tailProcessor) openStorage(cfg *Config) error {
	set := runlog.Settings{
		Directory: cfg.Storage.Directory, MaxBytes: cfg.Storage.MaxMiB << 20, Remember: cfg.remembered(),
		LimboBytes: cfg.Limbo.bytes(), LimboWindow: cfg.Limbo.Window, RecallBytes: 2 * cfg.loadBytes(),
	}
	log, pending, found, err := runlog.Open(set, func(keys []tail.Key, d tail.Decision) {
		tail.Step(p.state, tail.Remembered{Keys: keys, Decision: d}, time.Now())
	})
	if err != nil {
		return err
	}
	p.meter.found(found)
	interval, always := cfg.Storage.sync()
	p.storage = &storage{log, interval, always}
	p.hands.Log = log
	p.reread(pending)
	return nil
}

// reread looks at all pieces again, on all cores, and takes them in in their order.
func (p *tailProcessor) reread(pending []runlog.Pending) {
	began := time.Now()
	const chunk = 4096
	spans, lost := 0, 0
	for len(pending) > 0 {
		part := pending[:min(chunk, len(pending))]
		pending = pending[len(part):]
		pieces := make([]tail.Piece, len(part))
		var wg sync.WaitGroup
		for w := range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				var room []byte
				for i := w; i < len(part); i += runtime.GOMAXPROCS(0) {
					if data, err := p.storage.ReadInto(&room, part[i].ID); err == nil {
						if piece, err := tail.Reread(part[i].ID, data, part[i].Spans == 0, &p.state.Policy); err == nil {
							pieces[i] = piece
						}
					}
				}
			})
		}
		wg.Wait()
		for i := range pieces {
			if len(pieces[i].Keys) == 0 {
				lost += part[i].Spans
				p.storage.Forget([]uint64{part[i].ID})
				continue
			}
			spans += pieces[i].Spans
			tail.Step(p.state, tail.Recovered{Piece: pieces[i], Arrived: part[i].Arrived}, time.Now())
		}
	}
	p.meter.recovered(spans, lost, p.state.Runs(), time.Since(began))
}

// keep writes pieces before they are acknowledged: to the disk if their run has or
// may have a class, else at least to the log, which is synced within an interval.
func (p *tailProcessor) keep(pieces []tail.Piece) error {
	if p.storage == nil {
		return nil
	}
	p.mu.Lock()
	urgent := p.state.Urgent(pieces)
	p.mu.Unlock()
	err := p.storage.Append(pieces, time.Now(), urgent || p.storage.always)
	if errors.Is(err, runlog.ErrFull) {
		return errMaxMiB
	}
	if err != nil {
		p.meter.storageFailed("a batch cannot be kept", err)
		return fmt.Errorf("storage: the batch cannot be kept: %w", err)
	}
	return nil
}

// unkeep takes pieces back that were not acknowledged.
func (p *tailProcessor) unkeep(pieces []tail.Piece) {
	if p.storage == nil {
		return
	}
	ids := make([]uint64, len(pieces))
	for i := range pieces {
		ids[i] = pieces[i].ID
	}
	p.storage.Forget(ids)
}

// flush syncs the log every interval.
func (p *tailProcessor) flush() {
	ticker := time.NewTicker(p.storage.interval)
	defer ticker.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-ticker.C:
			if err := p.storage.Flush(time.Now()); err != nil {
				p.meter.storageFailed("what was decided waits to be written", err)
			}
		}
	}
}

// note passes on what the log has to know.
func (s *storage) note(e tail.Effect) {
	switch e := e.(type) {
	case tail.Note:
		s.Decided(e.Keys, e.Decision)
	case tail.Gone:
		s.Forget(e.IDs)
	}
}

// stow keeps a dropped run in limbo; that it cannot is no reason to hold it.
func (p *tailProcessor) stow(j *tail.Job) {
	if err := p.hands.Stow(j, time.Now()); err != nil {
		p.meter.storageFailed("a dropped run is not kept in limbo", err)
		p.meter.count(context.Background(), tail.NotStowed{Spans: j.Spans()})
	}
	p.answer(tail.Stowed{Job: j})
}

// bury keeps what the next component will never take, for people to read.
func (p *tailProcessor) bury(td ptrace.Traces) {
	if p.storage == nil {
		return
	}
	var m ptrace.JSONMarshaler
	line, err := m.MarshalTraces(td)
	if err = errors.Join(err, p.storage.Reject(line)); err != nil {
		p.meter.storageFailed("a refused run is not in rejected.jsonl", err)
	}
}

func (m *meter) found(f runlog.Found) {
	if f.TornBytes > 0 {
		m.logger.Info("storage: the end of a file was being written when the process before ended; it was cut off", zap.Int64("bytes", f.TornBytes))
	}
	if f.DamagedBytes > 0 {
		m.logger.Error("storage: damaged bytes were passed over; what could be read goes on, and copies of them were set aside",
			zap.Int64("bytes", f.DamagedBytes), zap.Strings("copies", f.SetAside))
	}
	if f.Missing > 0 {
		m.logger.Error("storage: files are gone from between others; what they held is lost", zap.Int("files", f.Missing))
	}
	if f.Full {
		m.logger.Error("storage: the disk is full; batches are refused until there is room")
	}
	if f.OpenTo != 0 {
		m.logger.Warn("storage: storage.directory is open to others and is left so, as it holds other files or belongs to another user; give it a directory of its own",
			zap.Stringer("mode", f.OpenTo))
	}
}

func (m *meter) recovered(spans, lost, runs int, took time.Duration) {
	if spans+lost == 0 {
		return
	}
	m.logger.Info("storage: runs of the process before go on", zap.Int("runs", runs), zap.Int("spans", spans), zap.Duration("took", took))
	m.ProcessorTailpolicySpansRecovered.Add(context.Background(), int64(spans))
	if lost > 0 {
		m.logger.Error("storage: spans that cannot be read are lost", zap.Int("spans", lost))
		m.count(context.Background(), tail.Dropped{Spans: lost, Reason: tail.ByDamage})
	}
}

func (m *meter) storageFailed(what string, err error) {
	m.ProcessorTailpolicyStorageErrors.Add(context.Background(), 1)
	m.tell(zap.ErrorLevel, "storage: "+what, 0, err, time.Now())
}
