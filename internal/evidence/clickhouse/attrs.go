package clickhouse

import (
	"math"
	"slices"
	"strings"

	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// pairs is a Map column's value that the driver reads without reflection.
type pairs struct {
	keys, values []any
	at           int
}

var _ chcolumn.IterableOrderedMap = (*pairs)(nil)

func (p *pairs) Put(key, value any) {
	p.keys, p.values = append(p.keys, key), append(p.values, value)
}

func (p *pairs) Iterator() chcolumn.MapIterator {
	p.at = -1
	return p
}

func (p *pairs) Next() bool {
	p.at++
	return p.at < len(p.keys)
}

func (p *pairs) Key() any   { return p.keys[p.at] }
func (p *pairs) Value() any { return p.values[p.at] }

// attrKey is the key of an attribute with what the tables do with it.
type attrKey struct {
	name   string
	coded  []byte // as a digest takes it
	slot   uint8  // some number, the same for the same name
	rank   int    // keys in byte order have ascending ranks
	text   int    // place of the column that holds it if it is a text, else -1
	number int    // the same if it is an integer
	task   int    // place in taskKeys, else -1
	fact   bool   // a span with it may state a fact that is a row of its own
}

func newAttrKey(name string) *attrKey {
	k := &attrKey{name: name, coded: appendText(nil, name), text: -1, number: -1, task: slices.Index(taskKeys[:], name), fact: evidence.BeginsFact(name)}
	for i := range len(name) {
		k.slot = k.slot*31 + name[i]
	}
	if at, ok := textPlaces[name]; ok {
		k.text = at
	}
	if at, ok := intPlaces[name]; ok {
		k.number = at
	}
	return k
}

// attrKind says where the value of an attribute is.
type attrKind uint8

const (
	attrText   attrKind = iota // text
	attrInt                    // number
	attrDouble                 // number: its bits
	attrBool                   // number: 0 or 1
	attrTexts                  // texts of the row: number is the first<<32 and how many; some
	attrOther                  // others of the row: number is its place
)

// attr is an attribute of a row. It holds no value in a box of its own, since
// rows have many.
type attr struct {
	key    *attrKey
	text   string
	number uint64
	kind   attrKind
}

// attrKeys remembers the keys of earlier rows, which saves to compare their
// texts again and again.
type attrKeys struct {
	known   map[string]*attrKey
	ordered []*attrKey
	before  []*attrKey // keys of the row before, in the order of their coming
}

// maxKeys bounds the keys that are remembered, and those of a row that are.
const (
	maxKeys    = 4096
	maxRowKeys = 256
)

// begin is called before a row of n attributes. It reports whether their keys
// are remembered; else each is known by itself, and ranks say nothing.
func (a *attrKeys) begin(n int) bool {
	if a.known == nil || len(a.known) > maxKeys {
		a.known, a.ordered, a.before = map[string]*attrKey{}, nil, nil
	}
	return n <= maxRowKeys
}

// at returns the key of the i-th attribute of a row: mostly that of the row
// before.
func (a *attrKeys) at(i int, name string) *attrKey {
	if i < len(a.before) {
		if k := a.before[i]; k.name == name {
			return k
		}
	}
	k := a.of(name)
	if i < len(a.before) {
		a.before[i] = k
	} else if i == len(a.before) {
		a.before = append(a.before, k)
	}
	return k
}

func (a *attrKeys) of(name string) *attrKey {
	if k := a.known[name]; k != nil {
		return k
	}
	k := newAttrKey(strings.Clone(name)) // of which no batch is kept
	at, _ := slices.BinarySearchFunc(a.ordered, name, func(k *attrKey, name string) int { return strings.Compare(k.name, name) })
	a.ordered = slices.Insert(a.ordered, at, k)
	for i := at; i < len(a.ordered); i++ {
		a.ordered[i].rank = i
	}
	a.known[k.name] = k
	return k
}

// inOrder brings the attributes of a row in the order of their keys; of a key
// that is there twice the first stays. ranked says whether ranks say the order.
func inOrder(row []attr, ranked bool) []attr {
	if !ranked {
		slices.SortStableFunc(row, func(x, y attr) int { return strings.Compare(x.key.name, y.key.name) })
		return slices.CompactFunc(row, func(x, y attr) bool { return x.key.name == y.key.name })
	}
	// Inserting is the fastest for as few as a row has.
	twice := false
	for i := 1; i < len(row); i++ {
		if row[i-1].key.rank < row[i].key.rank {
			continue
		}
		x, j := row[i], i
		for ; j > 0 && row[j-1].key.rank > x.key.rank; j-- {
			row[j] = row[j-1]
		}
		row[j] = x
		twice = twice || j > 0 && row[j-1].key == x.key
	}
	if twice {
		row = slices.CompactFunc(row, func(x, y attr) bool { return x.key == y.key })
	}
	return row
}

// overflow fills the columns attrs_text, attrs_int, attrs_double, attrs_bool,
// attrs_list and attrs_other with what of a row's attributes has no column of
// its own.
func (a *appender) overflow(row *rowAttrs, task bool) {
	columns := a.block.columns[a.at : a.at+5]
	a.at += 5
	var other map[string]any
	for i := range row.attrs {
		at := &row.attrs[i]
		if a.promoted && promoted(at, task) {
			continue
		}
		switch at.kind {
		case attrText:
			columns[0].key.keyText(at.key)
			columns[0].item.text(at.text)
			continue
		case attrInt:
			columns[1].key.keyText(at.key)
			columns[1].item.number64(at.number)
			continue
		case attrDouble:
			if !math.IsNaN(math.Float64frombits(at.number)) { // of which there are many, told apart by bits
				columns[2].key.keyText(at.key)
				columns[2].item.number64(at.number)
				continue
			}
		case attrBool:
			columns[3].key.keyText(at.key)
			columns[3].item.number64(at.number)
			continue
		case attrTexts:
			columns[4].key.keyText(at.key)
			a.bad = !columns[4].item.put(row.list(at)) || a.bad
			continue
		}
		if other == nil {
			other = map[string]any{}
		}
		other[at.key.name] = row.value(at)
	}
	for _, c := range columns {
		c.end()
	}
	var encoded []byte
	if len(other) > 0 {
		var err error
		if encoded, err = a.encoder.Attrs(nil, other, nil); err != nil {
			a.err = err
		}
	}
	a.bytes(encoded)
}

// promoted reports whether an attribute of a span has a column of its own; task
// says whether task_id is what the span states.
func promoted(at *attr, task bool) bool {
	switch at.kind {
	case attrText:
		return at.text != "" && (at.key.text >= 0 || task && at.key.name == semconv.AppTaskID)
	case attrInt:
		return at.key.number >= 0
	}
	return false
}

// areTexts reports whether a list holds texts and nothing else, and holds some.
func areTexts(list []any) bool {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return len(list) > 0
}

// restore puts the columns back together; nil if there was nothing.
func restore(text map[string]string, ints map[string]int64, doubles map[string]float64, bools map[string]bool, lists map[string][]string, other string) (evidence.Attrs, error) {
	n := len(text) + len(ints) + len(doubles) + len(bools) + len(lists)
	if n == 0 && other == "" {
		return nil, nil
	}
	out := make(evidence.Attrs, n+8)
	for k, v := range text {
		out[k] = v
	}
	for k, v := range ints {
		out[k] = v
	}
	for k, v := range doubles {
		out[k] = v
	}
	for k, v := range bools {
		out[k] = v
	}
	for k, list := range lists {
		items := make([]any, len(list))
		for i, s := range list {
			items[i] = s
		}
		out[k] = items
	}
	d := codec.Decoder{Name: noNames}
	rest, err := d.Attrs([]byte(other))
	for k, v := range rest {
		out[k] = v
	}
	return out, err
}

// noNames refuses numbers in place of texts: nothing here writes any.
func noNames(int64) (string, error) { return "", codec.ErrCorrupt }
