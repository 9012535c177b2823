package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/w3c"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A trace id made at a boundary is ten bytes of a keyed digest of the old one,
// then six bytes of a keyed digest of those ten. So every span, log record,
// exemplar and link of a trace gets the same new id, in any order and at any
// replica with the same key; and an id made here is known as such without a
// memory, and is not made anew. Nobody without the key can claim that an id of
// his own is one.
const (
	traceIDBytes = 10
	traceKeyName = "\x00otelcol-agent/trace-context/1\x00"
)

// W3C flags and what OTLP says of the parent, in the flags of spans and links.
const (
	flagsW3C         = 0xff
	flagKnowsRemote  = 0x100
	flagParentRemote = 0x200
)

func traceKey(key string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(traceKeyName))
	return mac.Sum(nil)
}

// restarter makes trace ids. It remembers the last one, since the items of a
// trace often stand together.
type restarter struct {
	mac        hash.Hash // nil if traces continue
	last, made [16]byte
	sum        [sha256.Size]byte
}

func newRestarter(p *Policy) restarter {
	if !p.set.RestartTraces {
		return restarter{}
	}
	return restarter{mac: hmac.New(sha256.New, p.traceKey)}
}

// newTrace returns the id of the trace behind the boundary. It stays if traces
// continue, if it is empty, or if it was made here.
func (w *walk) newTrace(old [16]byte) (id [16]byte, changed bool) {
	r := &w.restarter
	if r.mac == nil || old == [16]byte{} || r.tag(old) == [6]byte(old[traceIDBytes:]) {
		return old, false
	}
	if r.last != old {
		r.mac.Reset()
		r.mac.Write([]byte{1})
		r.mac.Write(old[:])
		var fresh [16]byte
		copy(fresh[:traceIDBytes], r.mac.Sum(r.sum[:0]))
		tag := r.tag(fresh)
		copy(fresh[traceIDBytes:], tag[:])
		r.last, r.made = old, fresh
	}
	return r.made, true
}

func (r *restarter) tag(id [16]byte) (tag [6]byte) {
	r.mac.Reset()
	r.mac.Write([]byte{2})
	r.mac.Write(id[:traceIDBytes])
	copy(tag[:], r.mac.Sum(r.sum[:0]))
	return tag
}

// restartID treats the trace id of a log record, an exemplar or a profile.
func (w *walk) restartID(id pcommon.TraceID, set func(pcommon.TraceID)) (changed bool) {
	fresh, changed := w.newTrace(id)
	if changed {
		w.tally.hit(ruleTraceContext, TraceID)
		set(fresh)
	}
	return changed
}

// restarted are the flags of a context whose trace id was made anew: it is
// random, and whether it is sampled is for those behind the boundary to decide.
func restarted(flags uint32) uint32 { return flags&^flagsW3C | w3c.Random }

// restart gives the span and its links their new trace ids. Span ids stay: they
// mean nothing without the trace. crossed is the old id if the span is one by
// which the trace entered and the link to it is still to be made.
func (w *walk) restart(span ptrace.Span) (crossed pcommon.TraceID) {
	if w.restarter.mac == nil {
		return pcommon.TraceID{}
	}
	old := span.TraceID()
	changed := w.restartID(old, span.SetTraceID)
	if changed {
		span.SetFlags(restarted(span.Flags()))
		w.dropState(span.TraceState(), SpanTracestate)
	}
	known := false
	for _, link := range span.Links().All() {
		id, foreign := w.newTrace(link.TraceID())
		if !foreign {
			continue
		}
		if id == [16]byte(span.TraceID()) && link.SpanID() == span.SpanID() && relation(link) == semconv.AppLinkRelationCrossesBoundary {
			known = true // the way back to the old trace, made by an earlier pass
			continue
		}
		w.tally.hit(ruleTraceContext, TraceID)
		link.SetTraceID(id)
		link.SetFlags(restarted(link.Flags()))
		w.dropState(link.TraceState(), LinkTracestate)
	}
	if changed && !known && entry(span) {
		return old
	}
	return pcommon.TraceID{}
}

func (w *walk) dropState(t pcommon.TraceState, pos Position) {
	if t.AsRaw() != "" {
		w.tally.hit(ruleTracestate, pos)
		t.FromRaw("")
	}
}

// entry reports whether the trace entered its process with this span: it has no
// parent, its parent is in another process, or nothing is said of that and the
// kind says so.
func entry(span ptrace.Span) bool {
	switch {
	case span.ParentSpanID().IsEmpty():
		return true
	case span.Flags()&flagKnowsRemote != 0:
		return span.Flags()&flagParentRemote != 0
	}
	return span.Kind() == ptrace.SpanKindServer || span.Kind() == ptrace.SpanKindConsumer
}

// cross links the span to what it was in the old trace.
func cross(span ptrace.Span, old pcommon.TraceID) {
	if old.IsEmpty() {
		return
	}
	link := span.Links().AppendEmpty()
	link.SetTraceID(old)
	link.SetSpanID(span.SpanID())
	link.Attributes().PutStr(semconv.AppLinkRelation, semconv.AppLinkRelationCrossesBoundary)
}

// step gives a span that an attribute names the new id of its trace.
func (w *walk) step(v pcommon.Value) {
	if v.Type() != pcommon.ValueTypeStr {
		return
	}
	trace, span, ok := strings.Cut(v.Str(), "/")
	var id pcommon.TraceID
	if !ok || len(trace) != 2*len(id) || len(span) != 2*len(pcommon.SpanID{}) {
		return
	}
	if _, err := hex.Decode(id[:], []byte(trace)); err == nil {
		w.restartID(id, func(fresh pcommon.TraceID) { v.SetStr(fresh.String() + "/" + span) })
	}
}

// relations are what a link may mean, beside nothing.
var relations = map[string]bool{
	semconv.AppLinkRelationContinues: true, semconv.AppLinkRelationRetries: true, semconv.AppLinkRelationDelegatedFrom: true,
	semconv.AppLinkRelationSubmittedBy: true, semconv.AppLinkRelationVerifies: true, semconv.AppLinkRelationEvaluates: true,
	semconv.AppLinkRelationFollows: true, semconv.AppLinkRelationCrossesBoundary: true,
}

func relation(link ptrace.SpanLink) string {
	v, ok := link.Attributes().Get(semconv.AppLinkRelation)
	if !ok {
		return ""
	}
	return v.Str()
}

// link treats a link's tracestate and attributes. Where attributes are dropped
// the relation stays if it is a word of its list: runs are joined by it.
func (w *walk) link(link ptrace.SpanLink) {
	w.tracestate(link.TraceState(), LinkTracestate)
	if !w.p.set.DropLinkAttributes {
		w.attributes(link.Attributes(), LinkAttribute)
		return
	}
	link.Attributes().RemoveIf(func(key string, v pcommon.Value) bool {
		if key == semconv.AppLinkRelation && v.Type() == pcommon.ValueTypeStr && relations[v.Str()] {
			return false
		}
		w.tally.hit(ruleLink, LinkAttribute)
		return true
	})
}
