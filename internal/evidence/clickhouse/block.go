package clickhouse

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// block is what one insert sends, column by column, in the server's own format.
// It keeps its memory from one insert to the next.
type block struct {
	columns []*values
	sent    frames
}

func newBlock(columns []driver.ColumnNameAndType) (*block, error) {
	b := &block{}
	for _, c := range columns {
		v, err := newValues(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		v.name = c.Name
		b.columns = append(b.columns, v)
	}
	return b, nil
}

func (b *block) reset() {
	for _, v := range b.columns {
		v.reset()
	}
}

func (b *block) rows() int { return b.columns[0].n }

// maxKept is the most memory that a block keeps for the next insert.
const maxKept = 64 << 20

func (b *block) size() (n int) {
	for _, v := range b.columns {
		n += cap(v.data)
	}
	return n + cap(b.sent.out)
}

// encode writes the block to out.
func (b *block) encode(out *frames) error {
	out.uvarint(uint64(len(b.columns)))
	out.uvarint(uint64(b.rows()))
	for _, v := range b.columns {
		if v.n != b.rows() {
			return fmt.Errorf("column %s has %d values, not %d", v.name, v.n, b.rows())
		}
		out.write(appendText(appendText(nil, v.name), v.kind))
		out.write(v.appendPrefix(nil))
		v.writeTo(out)
	}
	return out.flush()
}

func appendText[T ~string | ~[]byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// shape is how the values of a type are laid out.
type shape uint8

const (
	shapeFixed  shape = iota // width bytes each
	shapeText                // length and bytes
	shapeLow                 // numbers of words
	shapeOption              // whether there is none, then the values
	shapeList                // where each list ends, then the items
	shapeMap                 // the same, then keys, then values
)

// values are those of one column, or the parts of them.
type values struct {
	name, kind string
	shape      shape
	width      int
	n          int
	data       []byte // values; ends of lists; whether there is none
	item, key  *values

	// Of shapeLow: the words in order, and the number of each.
	words    []byte
	numbers  map[string]uint32
	rows     []uint32
	last     string
	lastRows uint32
	keys     *[256]keyWord // by their slots
}

// keyWord is the number of a key in a column.
type keyWord struct {
	key    *attrKey
	number uint32
}

var widths = map[string]int{"Int64": 8, "UInt64": 8, "Float64": 8, "UInt32": 4, "UInt8": 1, "Bool": 1}

func newValues(kind string) (*values, error) {
	v := &values{kind: kind}
	inner, wrapped := strings.CutSuffix(kind, ")")
	name, inner, _ := strings.Cut(inner, "(")
	var err error
	switch {
	case kind == "String":
		v.shape = shapeText
	case kind == "LowCardinality(String)":
		v.shape, v.numbers = shapeLow, map[string]uint32{}
		v.reset()
	case !wrapped && widths[kind] > 0:
		v.width = widths[kind]
	case name == "FixedString":
		v.width, err = strconv.Atoi(inner)
	case name == "SimpleAggregateFunction":
		_, of, _ := strings.Cut(inner, ", ")
		v, err = newValues(of)
		v.kind = kind
	case name == "Nullable":
		v.shape = shapeOption
		v.item, err = newValues(inner)
	case name == "Array":
		v.shape = shapeList
		v.item, err = newValues(inner)
	case name == "Map":
		v.shape = shapeMap
		of, to, _ := strings.Cut(inner, ", ")
		if v.key, err = newValues(of); err == nil {
			v.item, err = newValues(to)
		}
	default:
		return v, fmt.Errorf("no way to write type %s", kind)
	}
	return v, err
}

// maxWords is how many words of a column are kept from one insert to the next.
const maxWords = 4096

func (v *values) reset() {
	v.n, v.data = 0, v.data[:0]
	if v.item != nil {
		v.item.reset()
	}
	if v.key != nil {
		v.key.reset()
	}
	if v.keys != nil {
		clear(v.keys[:])
	}
	if v.shape == shapeLow {
		if len(v.numbers) > maxWords {
			v.numbers = map[string]uint32{}
		}
		clear(v.numbers)
		v.words, v.rows, v.last, v.lastRows = append(v.words[:0], 0), v.rows[:0], "", 0 // the first word is empty
	}
}

func (v *values) text(s string) {
	v.n++
	if v.shape == shapeLow {
		v.rows = append(v.rows, v.number(s))
		return
	}
	v.data = appendText(v.data, s)
}

// keyText is text for the key of an attribute, which rows have again and again.
func (v *values) keyText(k *attrKey) {
	if v.keys == nil {
		v.keys = new([256]keyWord)
	}
	word := &v.keys[k.slot]
	if word.key != k {
		*word = keyWord{k, v.number(k.name)}
	}
	v.n++
	v.rows = append(v.rows, word.number)
}

// number is that of a word; "" is 0.
func (v *values) number(s string) uint32 {
	if s == v.last {
		return v.lastRows
	}
	n, ok := uint32(0), s == ""
	if !ok {
		n, ok = v.numbers[s]
	}
	if !ok {
		n = uint32(len(v.numbers) + 1)
		v.numbers[s] = n
		v.words = appendText(v.words, s)
	}
	v.last, v.lastRows = s, n
	return n
}

// bytes adds bytes to a column of texts, or of fixed width.
func (v *values) bytes(b []byte) bool {
	v.n++
	if v.shape == shapeText {
		v.data = appendText(v.data, b)
		return true
	}
	v.data = append(v.data, b...)
	for i := len(b); i < v.width; i++ {
		v.data = append(v.data, 0)
	}
	return v.shape == shapeFixed && len(b) <= v.width
}

func (v *values) number64(n uint64) {
	v.n++
	switch v.width {
	case 8:
		v.data = binary.LittleEndian.AppendUint64(v.data, n)
	case 4:
		v.data = binary.LittleEndian.AppendUint32(v.data, uint32(n))
	default:
		v.data = append(v.data, byte(n))
	}
}

// end closes a list or map, after its items were added.
func (v *values) end() {
	v.n++
	v.data = binary.LittleEndian.AppendUint64(v.data, uint64(v.item.n))
}

// option begins a value of shapeOption; one that is there is added to the item.
func (v *values) option(none bool) {
	v.n++
	if !none {
		v.data = append(v.data, 0)
		return
	}
	v.data = append(v.data, 1)
	v.item.number64(0)
}

// put adds a value of any kind that rows have; false if it does not fit.
func (v *values) put(value any) bool {
	if v.shape == shapeOption {
		switch x := value.(type) {
		case nil:
			v.option(true)
			return true
		case *float64:
			v.option(x == nil)
			return x == nil || v.item.put(*x)
		}
		v.option(false)
		return v.item.put(value)
	}
	switch x := value.(type) {
	case string:
		if v.shape == shapeFixed {
			return false
		}
		v.text(x)
	case []byte:
		return v.bytes(x)
	case int64:
		v.number64(uint64(x))
	case uint64:
		v.number64(x)
	case uint32:
		v.number64(uint64(x))
	case uint8:
		v.number64(uint64(x))
	case bool:
		n := uint64(0)
		if x {
			n = 1
		}
		v.number64(n)
	case float64:
		v.number64(math.Float64bits(x))
	case []string:
		for _, s := range x {
			v.item.text(s)
		}
		v.end()
	case []any: // of texts, which the caller knows
		for _, s := range x {
			if s, ok := s.(string); ok {
				v.item.text(s)
			}
		}
		v.end()
	default:
		return false
	}
	return true
}

func (v *values) appendPrefix(b []byte) []byte {
	if v.shape == shapeLow {
		return binary.LittleEndian.AppendUint64(b, 1) // version of the keys
	}
	if v.key != nil {
		b = v.key.appendPrefix(b)
	}
	if v.item != nil {
		b = v.item.appendPrefix(b)
	}
	return b
}

func (v *values) writeTo(out *frames) {
	if v.shape == shapeLow {
		v.writeLow(out)
		return
	}
	out.write(v.data)
	if v.key != nil {
		v.key.writeTo(out)
	}
	if v.item != nil {
		v.item.writeTo(out)
	}
}

// writeLow writes words and the numbers of the rows, in as few bytes as the
// words need; of no rows nothing.
func (v *values) writeLow(out *frames) {
	if v.n == 0 {
		return
	}
	const own = 1<<9 | 1<<10 // the words come with the block
	words := uint64(len(v.numbers) + 1)
	width := uint64(0)
	switch {
	case words > math.MaxUint16:
		width = 2
	case words > math.MaxUint8:
		width = 1
	}
	out.uint64(own | width)
	out.uint64(words)
	out.write(v.words)
	out.uint64(uint64(v.n))
	b := v.data[:0] // which this shape has no other use for
	for _, n := range v.rows {
		switch width {
		case 0:
			b = append(b, byte(n))
		case 1:
			b = binary.LittleEndian.AppendUint16(b, uint16(n))
		default:
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	v.data = b
	out.write(b)
}
