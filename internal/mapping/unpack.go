package mapping

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"gopkg.in/yaml.v3"
)

// unpackRule says which bodies are an envelope: a map with a list of events, or
// one event, whose members are what other emitters write as attributes.
type unpackRule struct {
	line  int
	list  string   // member of the envelope
	name  string   // member of an event that names it
	names []string // prefixes of such names
}

// maxUnpacked bounds the events of one envelope.
const maxUnpacked = 10_000

func (r *reader) unpack(n *yaml.Node) *unpackRule {
	rule := &unpackRule{line: n.Line}
	r.object(n, "logs.unpack", map[string]func(*yaml.Node){
		"list":  func(n *yaml.Node) { rule.list = r.text(n, "logs.unpack.list") },
		"name":  func(n *yaml.Node) { rule.name = r.text(n, "logs.unpack.name") },
		"names": func(n *yaml.Node) { rule.names = r.texts(n, "logs.unpack.names") },
	})
	if rule.list == "" || rule.name == "" || len(rule.names) == 0 {
		r.fail(n.Line, "logs.unpack must have list, name and names")
	}
	return rule
}

// unpackAll puts the events of envelopes in the place of their records.
func (t *Tables) unpackAll(records plog.LogRecordSlice) {
	if len(t.unpacks) == 0 {
		return
	}
	var gone []int
	for i := range records.Len() {
		if records.At(i).Body().Type() != pcommon.ValueTypeMap {
			continue
		}
		for _, rule := range t.unpacks {
			if rule.open(records, i) {
				gone = append(gone, i)
				break
			}
		}
	}
	removeRecords(records, gone)
}

// open appends the events of record i, and reports whether it is an envelope.
func (u *unpackRule) open(records plog.LogRecordSlice, i int) bool {
	body := records.At(i).Body().Map()
	list, ok := body.Get(u.list)
	if !ok || list.Type() != pcommon.ValueTypeSlice {
		if !u.isEvent(body) {
			return false
		}
		u.add(records, i, body)
		return true
	}
	n := list.Slice().Len()
	if n == 0 || n > maxUnpacked {
		return false
	}
	for k := range n {
		if v := list.Slice().At(k); v.Type() != pcommon.ValueTypeMap || !u.isEvent(v.Map()) {
			return false
		}
	}
	for k := range n {
		// The list grows and its records may move: each is looked up anew.
		kept, _ := records.At(i).Body().Map().Get(u.list)
		u.add(records, i, kept.Slice().At(k).Map())
	}
	return true
}

func (u *unpackRule) isEvent(m pcommon.Map) bool {
	v, ok := m.Get(u.name)
	return ok && v.Type() == pcommon.ValueTypeStr && hasAnyPrefix(v.Str(), u.names)
}

func (u *unpackRule) add(records plog.LogRecordSlice, i int, event pcommon.Map) {
	held := pcommon.NewMap()
	event.CopyTo(held)
	to := records.AppendEmpty()
	from := records.At(i)
	to.SetTimestamp(from.Timestamp())
	to.SetObservedTimestamp(from.ObservedTimestamp())
	to.SetTraceID(from.TraceID())
	to.SetSpanID(from.SpanID())
	to.SetSeverityNumber(from.SeverityNumber())
	to.SetSeverityText(from.SeverityText())
	from.Attributes().CopyTo(to.Attributes())
	for k, v := range from.Body().Map().All() {
		if k != u.list {
			v.CopyTo(to.Attributes().PutEmpty(k))
		}
	}
	for k, v := range held.All() {
		v.CopyTo(to.Attributes().PutEmpty(k))
	}
}
