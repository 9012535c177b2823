// Package codec writes attribute values as bytes and reads them back exactly:
// what stores keep of values that no column of theirs can hold, and what
// digests are taken of.
//
// Words:
//
//   - value: what an attribute can be: see evidence.Attrs
//   - name: a number that stands for a text which is stored elsewhere, once
//
// It knows no store and no meaning of a key.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Attribute values on disk:
//
//	map    = count { key value }        keys in byte order, each once
//	key    = uvarint(id<<1 | 1)         row of names
//	       | uvarint(len<<1) bytes
//	value  = tag [content]
//	string = uvarint len, bytes         bytes as they came, also if not UTF-8
//
// Integers stay integers (zigzag varint), doubles are their eight bytes, so NaN
// payloads and signed zeros come back as they went in.
const (
	tagNull byte = iota
	tagString
	tagInt
	tagDouble
	tagFalse
	tagTrue
	tagBytes
	tagList
	tagMap
	tagName // string that is a row of names
)

// MaxDepth bounds nesting on both ways, so that a crafted value cannot exhaust
// the stack.
const MaxDepth = 256

// What a value, or bytes, can be refused for.
var (
	ErrTooDeep = fmt.Errorf("attribute value nested deeper than %d", MaxDepth)
	ErrCorrupt = errors.New("stored attribute value is cut off or malformed")
)

// Namer turns repeated texts into numbers; ok is false if the text is to be
// written as it is.
type Namer interface {
	Key(name string) (id int64, ok bool)
	Value(key, text string) (id int64, ok bool)
}

// Encoder writes attribute values. With a nil Namer the bytes depend on the
// value alone, which is what a digest needs.
type Encoder struct {
	Names Namer
	keys  []string // scratch
}

// Attrs appends a map; keys for which skip is true are left out.
func (e *Encoder) Attrs(b []byte, m map[string]any, skip func(key string) bool) ([]byte, error) {
	return e.mapValue(b, m, skip, 0)
}

func (e *Encoder) mapValue(b []byte, m map[string]any, skip func(key string) bool, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return b, ErrTooDeep
	}
	from := len(e.keys)
	for k := range m {
		if skip == nil || !skip(k) {
			e.keys = append(e.keys, k)
		}
	}
	keys := e.keys[from:]
	defer func() { e.keys = e.keys[:from] }()
	slices.Sort(keys)
	b = binary.AppendUvarint(b, uint64(len(keys)))
	for i := range keys {
		k := e.keys[from+i] // the scratch may have moved while nested maps were written
		b = e.key(b, k)
		var err error
		if b, err = e.valueAt(b, k, m[k], depth+1); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (e *Encoder) key(b []byte, k string) []byte {
	if e.Names != nil {
		if id, ok := e.Names.Key(k); ok {
			return binary.AppendUvarint(b, uint64(id)<<1|1)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(k))<<1)
	return append(b, k...)
}

// Value appends one value; key is the attribute it belongs to, for the Namer.
func (e *Encoder) Value(b []byte, key string, v any) ([]byte, error) { return e.valueAt(b, key, v, 0) }

func (e *Encoder) valueAt(b []byte, key string, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return b, ErrTooDeep
	}
	switch v := v.(type) {
	case nil:
		return append(b, tagNull), nil
	case string:
		if e.Names != nil {
			if id, ok := e.Names.Value(key, v); ok {
				return binary.AppendUvarint(append(b, tagName), uint64(id)), nil
			}
		}
		return AppendString(b, v), nil
	case int64:
		return AppendInt(b, v), nil
	case float64:
		return AppendDouble(b, math.Float64bits(v)), nil
	case bool:
		return AppendBool(b, v), nil
	case []byte:
		b = binary.AppendUvarint(append(b, tagBytes), uint64(len(v)))
		return append(b, v...), nil
	case []any:
		b = binary.AppendUvarint(append(b, tagList), uint64(len(v)))
		for _, item := range v {
			var err error
			if b, err = e.valueAt(b, key, item, depth+1); err != nil {
				return b, err
			}
		}
		return b, nil
	case map[string]any:
		return e.mapValue(append(b, tagMap), v, nil, depth)
	}
	return b, fmt.Errorf("attribute value of Go type %T, which no attribute can have", v)
}

// AppendString, AppendInt, AppendDouble and AppendBool append what Value does of
// such a value without a Namer.
func AppendString(b []byte, s string) []byte { return AppendText(append(b, tagString), s) }

// AppendInt: see AppendString.
func AppendInt(b []byte, n int64) []byte { return binary.AppendVarint(append(b, tagInt), n) }

// AppendDouble takes the bits of the value: see AppendString.
func AppendDouble(b []byte, bits uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tagDouble), bits)
}

// AppendBool: see AppendString.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, tagTrue)
	}
	return append(b, tagFalse)
}

// AppendTexts appends a list of texts: see AppendString.
func AppendTexts(b []byte, list []string) []byte {
	b = binary.AppendUvarint(append(b, tagList), uint64(len(list)))
	for _, s := range list {
		b = AppendString(b, s)
	}
	return b
}

// AppendText appends a text with its length before it.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Decoder reads what Encoder wrote. It never allocates more than the input's
// length accounts for.
type Decoder struct {
	b    []byte
	Name func(id int64) (string, error)
}

// attrs reads a map and demands that nothing follows; no bytes are no map.
func (d *Decoder) Attrs(b []byte) (map[string]any, error) {
	if len(b) == 0 {
		return nil, nil
	}
	d.b = b
	m, err := d.mapValue(0)
	if err == nil && len(d.b) != 0 {
		err = ErrCorrupt
	}
	return m, err
}

// One reads what Value wrote, nil from no bytes.
func (d *Decoder) One(b []byte) (any, error) {
	if len(b) == 0 {
		return nil, nil
	}
	d.b = b
	v, err := d.value(0)
	if err == nil && len(d.b) != 0 {
		err = ErrCorrupt
	}
	return v, err
}

func (d *Decoder) mapValue(depth int) (map[string]any, error) {
	if depth > MaxDepth {
		return nil, ErrTooDeep
	}
	n, err := d.count()
	if err != nil {
		return nil, err
	}
	m := make(map[string]any, n)
	for range n {
		k, err := d.key()
		if err != nil {
			return nil, err
		}
		if m[k], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (d *Decoder) key() (string, error) {
	u, err := d.uvarint()
	if err != nil {
		return "", err
	}
	if u&1 == 1 {
		return d.Name(int64(u >> 1))
	}
	return d.take(u >> 1)
}

func (d *Decoder) value(depth int) (any, error) {
	if depth > MaxDepth {
		return nil, ErrTooDeep
	}
	if len(d.b) == 0 {
		return nil, ErrCorrupt
	}
	tag := d.b[0]
	d.b = d.b[1:]
	switch tag {
	case tagNull:
		return nil, nil
	case tagString:
		return d.text()
	case tagInt:
		v, n := binary.Varint(d.b)
		if n <= 0 {
			return nil, ErrCorrupt
		}
		d.b = d.b[n:]
		return v, nil
	case tagDouble:
		if len(d.b) < 8 {
			return nil, ErrCorrupt
		}
		v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
		d.b = d.b[8:]
		return v, nil
	case tagFalse, tagTrue:
		return tag == tagTrue, nil
	case tagBytes:
		s, err := d.text()
		return []byte(s), err
	case tagList:
		n, err := d.count()
		if err != nil {
			return nil, err
		}
		list := make([]any, 0, n)
		for range n {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case tagMap:
		return d.mapValue(depth)
	case tagName:
		id, err := d.uvarint()
		if err != nil {
			return nil, err
		}
		return d.Name(int64(id))
	}
	return nil, ErrCorrupt
}

func (d *Decoder) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, ErrCorrupt
	}
	d.b = d.b[n:]
	return v, nil
}

// count reads a number of items; each takes a byte at least, which bounds it.
func (d *Decoder) count() (int, error) {
	n, err := d.uvarint()
	if err != nil || n > uint64(len(d.b)) {
		return 0, ErrCorrupt
	}
	return int(n), nil
}

func (d *Decoder) text() (string, error) {
	n, err := d.uvarint()
	if err != nil {
		return "", err
	}
	return d.take(n)
}

func (d *Decoder) take(n uint64) (string, error) {
	if n > uint64(len(d.b)) {
		return "", ErrCorrupt
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s, nil
}
