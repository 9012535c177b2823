package tail

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Piece is the spans of one trace in one batch, or the records of one trace or,
// without a trace, of one task.
type Piece struct {
	Tenant  string
	Keys    []Key      // its trace first, then the tasks and traces it names
	Block   slab.Block // Data, in the arena of the State; none if it is only in the log
	Data    []byte     // OTLP protobuf of the spans with their resources, or of the records
	ID      uint64     // in the log, 0 without one
	Spans   int        // 0 for records
	Records int        // 0 for spans
	Digest  Digest
}

// Batch is an encoded batch before it is cut into pieces.
type Batch struct {
	td   ptrace.Traces
	data []byte
}

// Encode reads a batch and leaves it as it is.
func Encode(td ptrace.Traces) (Batch, error) {
	var m ptrace.ProtoMarshaler
	data, err := m.MarshalTraces(td)
	return Batch{td, data}, err
}

// Size is the room that the pieces of a batch need.
func (b *Batch) Size() int64 { return int64(len(b.data)) }

// Alloc gives a piece its place.
type Alloc func(size int) (slab.Block, []byte)

// Split cuts a batch into pieces, in order of first appearance, and notes of them
// what decisions need.
func (b *Batch) Split(policy *Policy, alloc Alloc) ([]Piece, error) {
	s := splitters.Get().(*splitter)
	defer splitters.Put(s)
	defer s.forget()
	if err := s.layout.parse(b.data); err != nil {
		return nil, err
	}
	s.look(b.td, policy)
	if len(s.of) != len(s.layout.spans) {
		return nil, errWire
	}
	s.cut(b.data, alloc)
	pieces := make([]Piece, len(s.builders))
	for i := range s.builders {
		pieces[i] = s.builders[i].piece()
	}
	return pieces, nil
}

var splitters = sync.Pool{New: func() any { return &splitter{byTrace: map[traceOf]int32{}, kinds: kinds{}} }}

// splitter is the memory of one Split, used again by the next.
type splitter struct {
	layout   layout
	of       []int32 // builder of each span
	builders []builder
	byTrace  map[traceOf]int32
	kinds    kinds
}

func (s *splitter) forget() {
	s.of = s.of[:0]
	clear(s.builders)
	s.builders = s.builders[:0]
	clear(s.byTrace)
}

type traceOf struct {
	tenant string
	trace  evidence.TraceID
}

type builder struct {
	traceOf
	tasks  []string
	linked []evidence.TraceID
	spans  int
	size   int
	pen    pen
	block  slab.Block
	digest Digest
}

func (s *splitter) look(td ptrace.Traces, policy *Policy) {
	var g glance
	read := reader{}
	for _, rs := range td.ResourceSpans().All() {
		tenant, payer := tenantOf(rs.Resource()), policy.payer(rs.Resource())
		last := int32(-1)
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := evidence.TraceID(span.TraceID())
				if last < 0 || s.builders[last].trace != id {
					last = s.builder(traceOf{tenant, id})
				}
				b := &s.builders[last]
				g.at(span)
				b.note(&g, span)
				b.digest.pays(payer)
				b.digest.Standing.note(span, read)
				if policy.Slow != nil && isPart(g.operation, span.ParentSpanID().IsEmpty()) {
					b.digest.Parts = addPart(b.digest.Parts, Part{hashOf(idOf(span)), s.kinds.of(partKind{tenant, g.agent, g.operation}), tookOf(span)})
				}
				b.match(policy.Rules, rs, ss, span)
				s.of = append(s.of, last)
			}
		}
	}
}

func (s *splitter) builder(id traceOf) int32 {
	i, ok := s.byTrace[id]
	if !ok {
		i = int32(len(s.builders))
		s.builders = append(s.builders, builder{traceOf: id})
		s.byTrace[id] = i
	}
	return i
}

// note collects what joins the span's trace to others and what is to be known of
// the span later.
func (b *builder) note(g *glance, span ptrace.Span) {
	b.spans++
	b.digest.Clues |= g.clues
	if n := &b.digest.Names; b.spans == 1 || g.own != "" || g.parent != "" || g.top != "" {
		n.note(b.trace, g.own, g.parent, g.top)
	}
	for _, id := range [...]string{g.own, g.parent, g.top} {
		if id != "" {
			b.tasks = addOnce(b.tasks, id)
		}
	}
	for _, l := range span.Links().All() {
		id := evidence.TraceID(l.TraceID())
		if id == b.trace || l.TraceID().IsEmpty() {
			continue
		}
		if text(l.Attributes(), semconv.AppLinkRelation) != semconv.AppLinkRelationFollows {
			b.linked = addOnce(b.linked, id)
		}
	}
}

// addOnce leaves out what is among the last few; of what is not, repeats are taken out of
// the keys.
func addOnce[T comparable](all []T, v T) []T {
	if slices.Contains(all[max(0, len(all)-fewTasks):], v) {
		return all
	}
	return append(all, v)
}

// tookOf is how long a span took, in nanoseconds.
func tookOf(span ptrace.Span) int64 {
	return max(nanos(span.EndTimestamp())-nanos(span.StartTimestamp()), 0)
}

func nanos(t pcommon.Timestamp) int64 { return int64(min(t, math.MaxInt64)) }

// match asks only the rules that come before the one found so far.
func (b *builder) match(rules []Rule, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) {
	if b.digest.Rule != 0 {
		rules = rules[:b.digest.Rule-1]
	}
	for i := range rules {
		if rules[i].Match(rs, ss, span) {
			b.digest.Rule = i + 1
			return
		}
	}
}

// cut copies every span to its piece.
func (s *splitter) cut(data []byte, alloc Alloc) {
	for i := range s.builders {
		s.builders[i].pen = pen{resource: -1, group: -1}
	}
	for i, span := range s.layout.spans {
		b := &s.builders[s.of[i]]
		b.size += s.layout.size(span, b.pen.resource, b.pen.group)
		b.pen.resource, b.pen.group = s.layout.groups[span.group].resource, int(span.group)
	}
	for i := range s.builders {
		b := &s.builders[i]
		var room []byte
		b.block, room = alloc(b.size)
		b.pen = pen{out: room[:0], resource: -1, group: -1}
	}
	for i, span := range s.layout.spans {
		s.builders[s.of[i]].pen.write(data, &s.layout, span)
	}
	for i := range s.builders {
		s.builders[i].pen.end()
	}
}

func (b *builder) piece() Piece {
	keys := make([]Key, 0, 1+len(b.tasks)+len(b.linked))
	keys = append(keys, traceKey(b.tenant, b.trace))
	for _, id := range b.tasks {
		keys = append(keys, taskKey(b.tenant, id))
	}
	for _, id := range b.linked {
		keys = append(keys, traceKey(b.tenant, id))
	}
	if len(keys) > fewTasks {
		slices.SortFunc(keys[1:], func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
		keys = slices.Compact(keys)
	}
	return Piece{Tenant: b.tenant, Keys: keys, Block: b.block, Data: b.pen.out, Spans: b.spans, Digest: b.digest}
}

// tenantOf takes a tenant that is not text by its text form: nothing may fall
// into the empty tenant because a number was sent.
func tenantOf(r pcommon.Resource) string {
	if v, ok := r.Attributes().Get(semconv.TenantID); ok {
		return v.AsString()
	}
	return ""
}

func text(a pcommon.Map, key string) string {
	if v, ok := a.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
