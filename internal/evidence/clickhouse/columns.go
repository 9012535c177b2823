package clickhouse

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
)

// copyTo adds all values to a column of the driver: as one list where it takes
// one, else one by one.
func (v *values) copyTo(to chcolumn.Interface) error {
	if list := v.list(); list != nil {
		_, err := to.Append(list)
		return err
	}
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

// list returns all values as a list of the driver's, nil if it takes none.
func (v *values) list() any {
	switch {
	case v.shape == shapeText:
		return v.texts()
	case v.shape != shapeFixed || v.n == 0:
		return nil
	case strings.HasPrefix(v.kind, "FixedString"):
		all, at := string(v.data), 0
		return listOf(v, func([]byte) string { at += v.width; return all[at-v.width : at] })
	case v.kind == "Bool":
		return listOf(v, func(b []byte) bool { return b[0] == 1 })
	case v.kind == "UInt8":
		return v.data
	case v.kind == "UInt32":
		return listOf(v, binary.LittleEndian.Uint32)
	case v.kind == "Float64":
		return listOf(v, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	case v.kind == "UInt64":
		return listOf(v, binary.LittleEndian.Uint64)
	}
	return listOf(v, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
}

func listOf[T any](v *values, of func([]byte) T) []T {
	out := make([]T, v.n)
	for i := range out {
		out[i] = of(v.data[i*v.width:])
	}
	return out
}

// texts returns all texts, which share one copy.
func (v *values) texts() []string {
	all, at := string(v.data), 0
	out := make([]string, v.n)
	for i := range out {
		n, w := binary.Uvarint(v.data[at:])
		at += w
		out[i] = all[at : at+int(n)]
		at += int(n)
	}
	return out
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
		words[0] = nil // the empty one, which the driver need not look up
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
