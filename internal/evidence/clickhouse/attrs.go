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
	rank   int // keys in byte order have ascending ranks
	text   int // place of the column that holds it if it is a text, else -1
	number int // the same if it is an integer
}

func newAttrKey(name string) *attrKey {
	k := &attrKey{name: name, text: -1, number: -1}
	if at, ok := textPlaces[name]; ok {
		k.text = at
	}
	if at, ok := intPlaces[name]; ok {
		k.number = at
	}
	return k
}

// attr is an attribute of a row.
type attr struct {
	key   *attrKey
	value any
}

// attrKeys remembers the keys of earlier rows, which saves to compare their
// texts again and again.
type attrKeys struct {
	known   map[string]*attrKey
	ordered []*attrKey
}

// maxKeys bounds the keys that are remembered, and those of a row that are.
const (
	maxKeys    = 4096
	maxRowKeys = 256
)

func (a *attrKeys) of(name string) *attrKey {
	if k := a.known[name]; k != nil {
		return k
	}
	k := newAttrKey(name)
	at, _ := slices.BinarySearchFunc(a.ordered, name, func(k *attrKey, name string) int { return strings.Compare(k.name, name) })
	a.ordered = slices.Insert(a.ordered, at, k)
	for i := at; i < len(a.ordered); i++ {
		a.ordered[i].rank = i
	}
	a.known[name] = k
	return k
}

// sorted appends the attributes of a row in the order of their keys.
func (a *attrKeys) sorted(out []attr, m evidence.Attrs) []attr {
	if a.known == nil || len(a.known) > maxKeys {
		a.known, a.ordered = map[string]*attrKey{}, nil
	}
	from := len(out)
	if len(m) > maxRowKeys {
		for name, v := range m {
			out = append(out, attr{newAttrKey(name), v})
		}
		slices.SortFunc(out[from:], func(x, y attr) int { return strings.Compare(x.key.name, y.key.name) })
		return out
	}
	for name, v := range m {
		out = append(out, attr{a.of(name), v})
	}
	// Inserting is the fastest for as few as a row has.
	row := out[from:]
	for i := 1; i < len(row); i++ {
		x, j := row[i], i
		for ; j > 0 && row[j-1].key.rank > x.key.rank; j-- {
			row[j] = row[j-1]
		}
		row[j] = x
	}
	return out
}

// overflow fills the columns attrs_text, attrs_int, attrs_double, attrs_bool,
// attrs_list and attrs_other with what of a row's attributes has no column of
// its own.
func (a *appender) overflow(attrs []attr, task bool) {
	columns := a.block.columns[a.at : a.at+5]
	a.at += 5
	var other map[string]any
	for i := range attrs {
		k, v := attrs[i].key, attrs[i].value
		if a.promoted && promoted(k, v, task) {
			continue
		}
		var to *values
		switch x := v.(type) {
		case string:
			to = columns[0]
		case int64:
			to = columns[1]
		case float64:
			if !math.IsNaN(x) { // of which there are many, told apart by bits
				to = columns[2]
			}
		case bool:
			to = columns[3]
		case []any:
			if areTexts(x) {
				to = columns[4]
			}
		}
		if to == nil {
			if other == nil {
				other = map[string]any{}
			}
			other[k.name] = v
			continue
		}
		to.key.text(k.name)
		a.bad = !to.item.put(v) || a.bad
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
	a.put(encoded)
}

// promoted reports whether an attribute of a span has a column of its own; task
// says whether task_id is what the span states.
func promoted(k *attrKey, v any, task bool) bool {
	switch x := v.(type) {
	case string:
		return x != "" && (k.text >= 0 || task && k.name == semconv.AppTaskID)
	case int64:
		return k.number >= 0
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
