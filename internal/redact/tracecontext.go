package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/internal/w3c"
)

// classContext are the classes of keys under which an instrumentation recorded
// a header of trace context, or what a span processor copied out of one.
const classContext = classBaggage | classBaggageMember | classTracestate | classTraceparent

// memberPrefix stands before the key of a baggage member that became an
// attribute of its own.
const memberPrefix = "baggage."

// anyMember in an allow list allows all members.
const anyMember = "*"

// contextClass says which header the key records, by its last part: the key
// itself, that of http.request.header.*, rpc.request.metadata.* and the like.
func (p *Policy) contextClass(key string) keyClass {
	last := lastPart(key)
	switch {
	case strings.EqualFold(last, "traceparent"):
		return classTraceparent
	case strings.EqualFold(last, "tracestate"):
		return classTracestate
	case strings.EqualFold(last, "baggage") && (last == key || headerFamily(key[:len(key)-len(last)-1])):
		return classBaggage
	}
	if len(key) <= len(memberPrefix) || !strings.EqualFold(key[:len(memberPrefix)], memberPrefix) {
		return 0
	}
	if p.baggageAllowed(key[len(memberPrefix):]) {
		return classPlain | classOpen
	}
	return classBaggageMember
}

func lastPart(key string) string { return key[strings.LastIndexAny(key, "./")+1:] }

// headerFamily reports whether headers are recorded under the prefix: other
// keys that end in "baggage" may mean luggage.
func headerFamily(prefix string) bool {
	prefix = lastPart(prefix)
	for _, word := range []string{"header", "headers", "metadata", "carrier"} {
		if len(prefix) >= len(word) && strings.EqualFold(prefix[len(prefix)-len(word):], word) {
			return true
		}
	}
	return false
}

func (p *Policy) baggageAllowed(member string) bool {
	return p.set.allBaggage || p.baggage.match(member)
}

// barred treats an attribute that is denied, records a header or names a span,
// and reports whether it goes.
func (w *walk) barred(key string, v pcommon.Value, pos Position, class keyClass) (remove bool) {
	if class&classDenied != 0 {
		w.tally.hit(ruleDenied, pos)
		return true
	}
	if class&classStep != 0 {
		w.step(v)
		return w.value(v, pos, 0, class)
	}
	return w.header(key, v, pos, class)
}

// header treats a recorded header, and reports whether nothing of it is left.
// One text is one header, a list its several lines.
func (w *walk) header(key string, v pcommon.Value, pos Position, class keyClass) (remove bool) {
	if class&classBaggageMember != 0 {
		w.tally.hit(ruleBaggage, pos)
		return true
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		out := w.headerText(key, v.Str(), &w.budget, pos, class, true)
		if out != v.Str() {
			v.SetStr(out)
		}
		return out == ""
	case pcommon.ValueTypeSlice:
		return w.headerLines(key, v.Slice(), pos, class)
	case pcommon.ValueTypeEmpty:
		return false
	case pcommon.ValueTypeMap:
		if class&classBaggage != 0 {
			return w.baggageMap(v.Map(), pos)
		}
	}
	// A header is text; bytes and numbers under its key are not read.
	w.tally.hit(ruleOf(class), pos)
	return true
}

func (w *walk) headerLines(key string, lines pcommon.Slice, pos Position, class keyClass) (remove bool) {
	if lines.Len() == 0 {
		return false
	}
	if class&classBaggage == 0 && lines.Len() > 1 {
		// Two traceparents are none, and a tracestate is one list.
		w.tally.hit(ruleOf(class), pos)
		w.spoil(key, class)
		return true
	}
	first := true
	lines.RemoveIf(func(v pcommon.Value) bool {
		if v.Type() != pcommon.ValueTypeStr {
			w.tally.hit(ruleOf(class), pos)
			return true
		}
		out := w.headerText(key, v.Str(), &w.budget, pos, class, first)
		first = false
		if out != v.Str() {
			v.SetStr(out)
		}
		return out == ""
	})
	return lines.Len() == 0
}

// baggageMap treats members that are entries of a map.
func (w *walk) baggageMap(m pcommon.Map, pos Position) (remove bool) {
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		if !w.p.baggageAllowed(key) || v.Type() != pcommon.ValueTypeStr || w.tainted(key) || w.tainted(v.Str()) || w.tainted(w3c.Decode(v.Str())) {
			w.tally.hit(ruleBaggage, pos)
			return true
		}
		return false
	})
	return m.Len() == 0
}

func ruleOf(class keyClass) int {
	switch {
	case class&classTraceparent != 0:
		return ruleTraceparent
	case class&classTracestate != 0:
		return ruleTracestate
	}
	return ruleBaggage
}

func (w *walk) headerText(key, s string, left *budget, pos Position, class keyClass, first bool) string {
	switch {
	case class&classTraceparent != 0:
		return w.traceparent(key, s, pos)
	case class&classTracestate != 0:
		if w.p.set.RestartTraces && s != "" {
			w.tally.hit(ruleTracestate, pos)
			return ""
		}
		return w.stateText(s, pos)
	}
	if first {
		*left = budget{w.p.set.BaggageMembers, w.p.set.BaggageBytes}
	}
	return w.baggage(s, left, pos)
}

// budget is what a baggage header may still take.
type budget struct{ members, bytes int }

// baggage removes the members that may not pass, and above the limits those
// that do not fit any more, first come first kept. Members stay whole.
func (w *walk) baggage(s string, left *budget, pos Position) string {
	if len(s) > w.p.set.MaxValueBytes {
		w.tally.fail(TooLong, pos)
		return ""
	}
	kept, size, all := []string(nil), 0, true
	for m := range w3c.Baggage(s) {
		if !m.Valid() || !w.p.baggageAllowed(m.Key) || w.taintedMember(m) {
			w.tally.hit(ruleBaggage, pos)
			all = false
			continue
		}
		kept = append(kept, m.Raw)
		size += len(m.Raw) + 1
	}
	if all && len(kept) <= left.members && len(s) <= left.bytes {
		left.members -= len(kept)
		left.bytes -= len(s)
		return s
	}
	fit := kept[:0]
	for _, raw := range kept {
		comma := 0
		if len(fit) > 0 {
			comma = 1
		}
		if left.members < 1 || left.bytes < len(raw)+comma {
			w.tally.hit(ruleBaggage, pos)
			continue
		}
		left.members--
		left.bytes -= len(raw) + comma
		fit = append(fit, raw)
	}
	return strings.Join(fit, ",")
}

// taintedMember reads key, value and properties as they are written and as
// they are meant.
func (w *walk) taintedMember(m w3c.BaggageMember) bool {
	if w.tainted(m.Raw) {
		return true
	}
	return strings.Contains(m.Raw, "%") && (w.tainted(w3c.Decode(m.Key)) || w.tainted(w3c.Decode(m.Value)) || w.tainted(w3c.Decode(m.Properties)))
}

// tainted reports whether the rules find anything in the text, in any form
// they know. Nothing is counted.
func (w *walk) tainted(s string) bool { return s != "" && w.dirty(s) }

// traceparent keeps one that is valid, with its trace id restarted if the
// policy says so. Of one that is not, neither it nor its tracestate stays.
func (w *walk) traceparent(key, s string, pos Position) string {
	if s == "" {
		return s
	}
	t, ok := w3c.ParseTraceparent(s)
	if !ok {
		w.tally.hit(ruleTraceparent, pos)
		w.spoil(key, classTraceparent)
		return ""
	}
	fresh, changed := w.newTrace(t.TraceID)
	if !changed {
		if len(strings.TrimSpace(s)) > len(t.String()) {
			w.tally.hit(ruleTraceparent, pos) // what a later version appends is anybody's text
			return t.String()
		}
		return s
	}
	w.tally.hit(ruleTraceContext, pos)
	t.TraceID, t.Flags = fresh, w3c.Random
	return t.String()
}

// spoil notes that the tracestate beside the traceparent under key goes too.
func (w *walk) spoil(key string, class keyClass) {
	if class&classTraceparent != 0 {
		w.spoiled = append(w.spoiled, key[:len(key)-len(lastPart(key))])
	}
}

// dropSpoiled removes the tracestates beside traceparents that were not valid.
func (w *walk) dropSpoiled(m pcommon.Map, pos Position, from int) {
	for _, prefix := range w.spoiled[from:] {
		m.RemoveIf(func(key string, _ pcommon.Value) bool {
			gone := len(key) > len(prefix) && key[:len(prefix)] == prefix && strings.EqualFold(key[len(prefix):], "tracestate")
			if gone {
				w.tally.hit(ruleTracestate, pos)
			}
			return gone
		})
	}
	w.spoiled = w.spoiled[:from]
}

// tracestate treats a span's or a link's.
func (w *walk) tracestate(t pcommon.TraceState, pos Position) {
	raw := t.AsRaw()
	if raw == "" {
		return
	}
	if out := w.stateText(raw, pos); out != raw {
		t.FromRaw(out)
	}
}

// stateText keeps the members of allowed vendors in which nothing is found. A
// tracestate that is not valid is discarded as a whole. A token would not be
// valid everywhere in a member, so members go whole.
func (w *walk) stateText(raw string, pos Position) string {
	if raw == "" {
		return raw
	}
	if len(raw) > w.p.set.MaxValueBytes {
		w.tally.fail(TooLong, pos)
		return ""
	}
	members, ok := w3c.Tracestate(raw)
	if !ok {
		w.tally.hit(ruleTracestate, pos)
		return ""
	}
	kept := members[:0:len(members)]
	for _, m := range members {
		if !w.p.vendorAllowed(m) || w.tainted(m.Raw) {
			w.tally.hit(ruleTracestate, pos)
			continue
		}
		kept = append(kept, m)
	}
	if size := len(w3c.Join(kept)); size > w3c.TracestateBytes {
		fit := w3c.Cut(kept, w3c.TracestateBytes)
		for range len(kept) - len(fit) {
			w.tally.hit(ruleTracestate, pos)
		}
		kept = fit
	}
	return w3c.Join(kept)
}

func (p *Policy) vendorAllowed(m w3c.StateMember) bool {
	return p.vendors[anyMember] || p.vendors[m.Key] || p.vendors[m.Vendor()]
}
