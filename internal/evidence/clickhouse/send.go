package clickhouse

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ClickHouse/ch-go/compress"
	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// frame is how many bytes are compressed as one.
const frame = 1 << 20

// frames collects what is sent, compressed piece by piece unless compressor is
// nil. The first error stays.
type frames struct {
	out, piece []byte
	compressor *compress.Writer
	err        error
}

func (f *frames) write(b []byte) {
	if f.compressor == nil {
		f.out = append(f.out, b...)
		return
	}
	for len(b) > 0 {
		n := min(len(b), frame-len(f.piece))
		f.piece = append(f.piece, b[:n]...)
		if b = b[n:]; len(f.piece) == frame {
			f.press()
		}
	}
}

func (f *frames) press() {
	if err := f.compressor.Compress(f.piece); err != nil && f.err == nil {
		f.err = err
	}
	f.out = append(f.out, f.compressor.Data...)
	f.piece = f.piece[:0]
}

func (f *frames) uvarint(n uint64) {
	var b [binary.MaxVarintLen64]byte
	f.write(binary.AppendUvarint(b[:0], n))
}

func (f *frames) uint64(n uint64) {
	var b [8]byte
	f.write(binary.LittleEndian.AppendUint64(b[:0], n))
}

func (f *frames) flush() error {
	if len(f.piece) > 0 {
		f.press()
	}
	return f.err
}

// insert sends rows to a table under a token. fill appends them. Over HTTP the
// block goes as it is; the native protocol wants the driver's own columns.
func (c *client) insert(ctx context.Context, table, token string, fill func(a *appender) error) error {
	t := c.tables[table]
	b, err := t.block()
	if err != nil {
		return err
	}
	b.reset()
	if err := fill(&appender{block: b}); err != nil || b.rows() == 0 {
		return err
	}
	settings := c.insertSettings(token + ":" + table)
	if c.http {
		err = c.sendEncoded(ctx, t, b, settings)
	} else {
		err = c.sendColumns(ctx, t, b, settings)
	}
	if err == nil && b.size() <= maxKept { // else a request may still read it
		t.keep(b)
	}
	return err
}

// block returns an empty block, one that was used before if there is one.
func (t *insertTable) block() (*block, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.blocks); n > 0 {
		b := t.blocks[n-1]
		t.blocks = t.blocks[:n-1]
		return b, nil
	}
	return newBlock(t.columns)
}

// keep keeps one block: two inserts into one table at a time are rare.
func (t *insertTable) keep(b *block) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.blocks) == 0 {
		t.blocks = append(t.blocks, b)
	}
}

func (c *client) sendEncoded(ctx context.Context, t *insertTable, b *block, settings driver.Settings) error {
	f := &b.sent
	f.out, f.piece, f.err = f.out[:0], f.piece[:0], nil
	if c.compressor != nil {
		settings["decompress"] = 1
		if f.compressor == nil {
			f.compressor = c.compressor()
		}
	}
	if err := b.encode(f); err != nil {
		return err
	}
	ctx = driver.Context(ctx, driver.WithSettings(settings))
	return c.conn.InsertFormat(ctx, "Native", t.query, bytes.NewReader(f.out))
}

func (c *client) sendColumns(ctx context.Context, t *insertTable, b *block, settings driver.Settings) error {
	ctx = driver.Context(ctx, driver.WithSettings(settings), driver.WithColumnNamesAndTypes(t.columns))
	batch, err := c.conn.PrepareBatch(ctx, t.query)
	if err != nil {
		return err
	}
	defer batch.Close()
	columns := batch.Columns()
	if len(columns) != len(b.columns) {
		return fmt.Errorf("the server has %d columns, not %d", len(columns), len(b.columns))
	}
	for i, v := range b.columns {
		if err := v.copyTo(columns[i]); err != nil {
			return fmt.Errorf("column %s: %w", v.name, err)
		}
	}
	return batch.Send()
}
