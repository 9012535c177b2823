package clickhouse

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// rowAttrs are the attributes of a row, in the order of their keys.
type rowAttrs struct {
	attrs  []attr
	texts  []string // of lists
	others []any    // what has no kind of its own
}

func (r *rowAttrs) list(at *attr) []string {
	from := at.number >> 32
	return r.texts[from : from+at.number&math.MaxUint32]
}

// value is an attribute as evidence.Attrs has it.
func (r *rowAttrs) value(at *attr) any {
	switch at.kind {
	case attrText:
		return at.text
	case attrInt:
		return int64(at.number)
	case attrDouble:
		return math.Float64frombits(at.number)
	case attrBool:
		return at.number == 1
	case attrTexts:
		list := r.list(at)
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = s
		}
		return out
	}
	return r.others[at.number]
}

// whole returns all of them as a map, nil if there are none.
func (r *rowAttrs) whole() evidence.Attrs {
	if len(r.attrs) == 0 {
		return nil
	}
	out := make(evidence.Attrs, len(r.attrs))
	for i := range r.attrs {
		out[r.attrs[i].key.name] = r.value(&r.attrs[i])
	}
	return out
}

// appendTo appends them to what is digested of a row.
func (r *rowAttrs) appendTo(b []byte, e *codec.Encoder) ([]byte, error) {
	for i := range r.attrs {
		at := &r.attrs[i]
		b = append(b, at.key.coded...)
		switch at.kind {
		case attrText:
			b = codec.AppendString(b, at.text)
		case attrInt:
			b = codec.AppendInt(b, int64(at.number))
		case attrDouble:
			b = codec.AppendDouble(b, at.number)
		case attrBool:
			b = codec.AppendBool(b, at.number == 1)
		case attrTexts:
			b = codec.AppendTexts(b, r.list(at))
		default:
			var err error
			if b, err = e.Value(b, "", r.others[at.number]); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// flattener turns attributes into those of rows. Rows share its memory, which is
// used again after reset.
type flattener struct {
	keys   attrKeys
	attrs  []attr
	texts  []string
	others []any
	size   intake.Size // of the row, and what is wrong with it

	// Of the row that is being made.
	ranked               bool
	firstAttr            int
	firstText, firstRest int
}

func (f *flattener) reset() {
	clear(f.attrs)
	clear(f.texts)
	clear(f.others)
	f.attrs, f.texts, f.others = f.attrs[:0], f.texts[:0], f.others[:0]
}

// start begins a row of n attributes that may take maxRow bytes.
func (f *flattener) start(n, maxRow int) {
	f.size.Start(maxRow)
	f.firstAttr, f.firstText, f.firstRest = len(f.attrs), len(f.texts), len(f.others)
	f.ranked = f.keys.begin(n)
}

// add adds an attribute, whose value the caller fills.
func (f *flattener) add(name string) *attr {
	var k *attrKey
	if f.ranked {
		k = f.keys.at(len(f.attrs)-f.firstAttr, name)
	} else {
		k = newAttrKey(name)
	}
	f.attrs = append(f.attrs, attr{key: k})
	return &f.attrs[len(f.attrs)-1]
}

// end returns the attributes that were added since start.
func (f *flattener) end() rowAttrs {
	// What is appended later may move the memory, and leaves this part as it is.
	attrs, texts, others := len(f.attrs), len(f.texts), len(f.others)
	return rowAttrs{inOrder(f.attrs[f.firstAttr:attrs:attrs], f.ranked), f.texts[f.firstText:texts:texts], f.others[f.firstRest:others:others]}
}

// ofMap flattens a map of OTLP.
func (f *flattener) ofMap(m pcommon.Map, maxRow int) rowAttrs {
	f.start(m.Len(), maxRow)
	for k, v := range m.All() {
		at := f.add(k)
		switch v.Type() {
		case pcommon.ValueTypeStr:
			at.text = evidence.TextOf(v.Str())
			f.size.Fixed(k, len(at.text))
		case pcommon.ValueTypeInt:
			at.kind, at.number = attrInt, uint64(v.Int())
			f.size.Fixed(k, 8)
		case pcommon.ValueTypeDouble:
			at.kind, at.number = attrDouble, math.Float64bits(v.Double())
			f.size.Fixed(k, 8)
		case pcommon.ValueTypeBool:
			f.boolean(at, v.Bool())
		case pcommon.ValueTypeSlice:
			if !f.list(at, v.Slice()) {
				f.other(at, evidence.ValueOf(v))
			}
		default:
			f.other(at, evidence.ValueOf(v))
		}
	}
	return f.end()
}

// ofAttrs flattens a map as evidence has it.
func (f *flattener) ofAttrs(m evidence.Attrs, maxRow int) rowAttrs {
	f.start(len(m), maxRow)
	for k, v := range m {
		at := f.add(k)
		switch v := v.(type) {
		case string:
			at.text = v
			f.size.Fixed(k, len(v))
		case int64:
			at.kind, at.number = attrInt, uint64(v)
			f.size.Fixed(k, 8)
		case float64:
			at.kind, at.number = attrDouble, math.Float64bits(v)
			f.size.Fixed(k, 8)
		case bool:
			f.boolean(at, v)
		case []any:
			if !areTexts(v) {
				f.other(at, v)
				continue
			}
			from := len(f.texts)
			for _, s := range v {
				text, _ := s.(string)
				f.texts = append(f.texts, text)
			}
			f.listed(at, from)
		default:
			f.other(at, v)
		}
	}
	return f.end()
}

func (f *flattener) boolean(at *attr, v bool) {
	at.kind = attrBool
	if v {
		at.number = 1
	}
	f.size.Fixed(at.key.name, 0)
}

func (f *flattener) other(at *attr, v any) {
	at.kind, at.number = attrOther, uint64(len(f.others)-f.firstRest)
	f.others = append(f.others, v)
	f.size.Value(at.key.name, v)
}

// list reports whether a list holds texts alone, and some; then it was added.
func (f *flattener) list(at *attr, list pcommon.Slice) bool {
	if list.Len() == 0 {
		return false
	}
	for _, v := range list.All() {
		if v.Type() != pcommon.ValueTypeStr {
			return false
		}
	}
	from := len(f.texts)
	for _, v := range list.All() {
		f.texts = append(f.texts, evidence.TextOf(v.Str()))
	}
	f.listed(at, from)
	return true
}

// listed makes an attribute the list of the texts that were added from a place on.
func (f *flattener) listed(at *attr, from int) {
	at.kind, at.number = attrTexts, uint64(from-f.firstText)<<32|uint64(len(f.texts)-from)
	bytes := len(f.texts) - from
	for _, s := range f.texts[from:] {
		bytes += len(s)
	}
	f.size.Fixed(at.key.name, bytes)
}
