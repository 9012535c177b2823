package clickhouse

import (
	"math"

	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
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

func (p *pairs) reset() { p.keys, p.values = p.keys[:0], p.values[:0] }

// overflow is what of a row's attributes has no column of its own, by type, in
// the order of the columns attrs_text, attrs_int, attrs_double, attrs_bool,
// attrs_list and attrs_other. It is used for one row after the other.
type overflow struct {
	text, ints, doubles, bools, lists pairs
	other                             map[string]any
	encoder                           codec.Encoder
	boxed                             map[string]any // attribute keys as the driver wants them
}

// maxBoxed bounds the attribute keys that are remembered.
const maxBoxed = 8192

func (o *overflow) key(k string) any {
	if v, ok := o.boxed[k]; ok {
		return v
	}
	if o.boxed == nil || len(o.boxed) >= maxBoxed {
		o.boxed = map[string]any{}
	}
	v := any(k)
	o.boxed[k] = v
	return v
}

// take sorts attributes by type; those for which skip is true are left out.
func (o *overflow) take(attrs evidence.Attrs, skip func(key string, v any) bool) {
	o.text.reset()
	o.ints.reset()
	o.doubles.reset()
	o.bools.reset()
	o.lists.reset()
	o.other = nil
	for k, v := range attrs {
		if skip != nil && skip(k, v) {
			continue
		}
		switch x := v.(type) {
		case string:
			o.text.Put(o.key(k), v)
			continue
		case int64:
			o.ints.Put(o.key(k), v)
			continue
		case bool:
			o.bools.Put(o.key(k), v)
			continue
		case float64:
			if !math.IsNaN(x) { // of which there are many, told apart by bits
				o.doubles.Put(o.key(k), v)
				continue
			}
		case []any:
			if list, ok := texts(x); ok {
				o.lists.Put(o.key(k), list)
				continue
			}
		}
		if o.other == nil {
			o.other = map[string]any{}
		}
		o.other[k] = v
	}
}

// texts returns a list that holds texts and nothing else, and holds some.
func texts(list []any) ([]string, bool) {
	if len(list) == 0 {
		return nil, false
	}
	out := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		out[i] = s
	}
	return out, true
}

// encodedOther is the column attrs_other.
func (o *overflow) encodedOther() ([]byte, error) {
	if len(o.other) == 0 {
		return nil, nil
	}
	return o.encoder.Attrs(nil, o.other, nil)
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
