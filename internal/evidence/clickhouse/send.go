package clickhouse

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
)

// frame is how many bytes are compressed as one.
const frame = 1 << 20

// insert sends rows to a table under a token. fill appends them. Over HTTP the
// block goes as it is; the native protocol wants the driver's own columns.
func (c *client) insert(ctx context.Context, table, token string, fill func(a *appender) error) error {
	t := c.tables[table]
	b, _ := t.blocks.Get().(*block)
	if b == nil {
		var err error
		if b, err = newBlock(t.columns); err != nil {
			return err
		}
	}
	b.reset()
	if err := fill(&appender{block: b}); err != nil || b.rows() == 0 {
		return err
	}
	settings := c.insertSettings(token + ":" + table)
	var err error
	if c.http {
		err = c.sendEncoded(ctx, t, b, settings)
	} else {
		err = c.sendColumns(ctx, t, b, settings)
	}
	if err == nil && b.size() <= maxKept { // else a request may still read it
		t.blocks.Put(b)
	}
	return err
}

func (c *client) sendEncoded(ctx context.Context, t *insertTable, b *block, settings driver.Settings) error {
	body, err := b.encode()
	if err != nil {
		return err
	}
	if c.framed != nil {
		settings["decompress"] = 1
		if body, err = b.frames(body, c.framed()); err != nil {
			return err
		}
	}
	ctx = driver.Context(ctx, driver.WithSettings(settings))
	return c.conn.InsertFormat(ctx, "Native", t.query, bytes.NewReader(body))
}

// frames compresses a block as the server expects it.
func (b *block) frames(body []byte, w *compress.Writer) ([]byte, error) {
	b.framed = b.framed[:0]
	for len(body) > 0 {
		n := min(len(body), frame)
		if err := w.Compress(body[:n]); err != nil {
			return nil, err
		}
		b.framed = append(b.framed, w.Data...)
		body = body[n:]
	}
	return b.framed, nil
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

// copyTo adds all values to a column of the driver.
func (v *values) copyTo(to chcolumn.Interface) error {
	next := v.boxes()
	for range v.n {
		x, err := next()
		if err == nil {
			err = to.AppendRow(x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// boxes returns a function that gives one value after the other, as the driver
// takes it.
func (v *values) boxes() func() (any, error) {
	data := v.data
	text := func() (string, error) {
		n, w := binary.Uvarint(data)
		if w <= 0 || n > uint64(len(data)-w) {
			return "", io.ErrUnexpectedEOF
		}
		s := string(data[w : w+int(n)])
		data = data[w+int(n):]
		return s, nil
	}
	at := 0
	switch v.shape {
	case shapeText:
		return func() (any, error) { return text() }
	case shapeLow:
		data = v.words
		words := make([]any, len(v.numbers)+1)
		for i := range words {
			words[i], _ = text()
		}
		return func() (any, error) { at++; return words[v.rows[at-1]], nil }
	case shapeOption:
		item := v.item.boxes()
		return func() (any, error) {
			x, err := item()
			if at++; v.data[at-1] == 1 {
				x = nil
			}
			return x, err
		}
	case shapeList, shapeMap:
		return v.manyBoxes()
	}
	return func() (any, error) {
		one := data[:v.width]
		data = data[v.width:]
		return v.fixedBox(one), nil
	}
}

func (v *values) fixedBox(b []byte) any {
	switch kind := v.kind; {
	case strings.HasPrefix(kind, "FixedString"):
		return b
	case kind == "Bool":
		return b[0] == 1
	case kind == "UInt8":
		return b[0]
	case kind == "UInt32":
		return binary.LittleEndian.Uint32(b)
	case kind == "Float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case kind == "UInt64":
		return binary.LittleEndian.Uint64(b)
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func (v *values) manyBoxes() func() (any, error) {
	item := v.item.boxes()
	var key func() (any, error)
	if v.key != nil {
		key = v.key.boxes()
	}
	at, from := 0, uint64(0)
	var p pairs
	return func() (any, error) {
		to := binary.LittleEndian.Uint64(v.data[8*at:])
		at++
		list := []string{}
		p.keys, p.values = p.keys[:0], p.values[:0]
		for ; from < to; from++ {
			x, err := item()
			if err != nil {
				return nil, err
			}
			if key == nil {
				s, _ := x.(string)
				list = append(list, s)
				continue
			}
			k, err := key()
			if err != nil {
				return nil, err
			}
			p.Put(k, x)
		}
		if key == nil {
			return list, nil
		}
		return &p, nil
	}
}
