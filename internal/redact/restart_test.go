package redact

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var oldTrace = pcommon.TraceID{0x4b, 0xf9, 0x2f, 0x35, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}

func oneSpan(fill func(ptrace.Span)) (ptrace.Traces, ptrace.Span) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(oldTrace)
	span.SetSpanID(pcommon.SpanID{7})
	fill(span)
	return td, span
}

func TestContinuedTracesKeepTheirIDs(t *testing.T) {
	td, span := oneSpan(func(s ptrace.Span) { s.SetFlags(0x301) })
	assert.Zero(t, compile(t, Settings{}).Traces(td).Total())
	assert.Equal(t, oldTrace, span.TraceID())
	assert.Equal(t, uint32(0x301), span.Flags())
	assert.Zero(t, span.Links().Len())
}

// A trace that is restarted is one trace behind the boundary too, in every
// signal, in whatever order and wherever its parts come.
func TestARestartedTraceStaysOneTrace(t *testing.T) {
	settings := Settings{RestartTraces: true, TracestateAllow: []string{"*"}}
	td, span := oneSpan(func(s ptrace.Span) {
		s.SetFlags(0x101)
		s.TraceState().FromRaw("ot=th:8")
		link := s.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID{9})
		link.SetSpanID(pcommon.SpanID{8})
		link.SetFlags(0x301)
		link.TraceState().FromRaw("ot=th:8")
		s.Attributes().PutStr("http.request.header.traceparent", "00-"+oldTrace.String()+"-0700000000000000-01")
		s.Attributes().PutStr("http.request.header.tracestate", "ot=th:8")
	})
	compile(t, settings).Traces(td)
	fresh := span.TraceID()
	assert.NotEqual(t, oldTrace, fresh)
	assert.Equal(t, pcommon.SpanID{7}, span.SpanID())
	assert.Equal(t, uint32(0x102), span.Flags(), "random, not sampled, and what is known of the parent")
	assert.Empty(t, span.TraceState().AsRaw())
	header, _ := span.Attributes().Get("http.request.header.traceparent")
	assert.Equal(t, "00-"+fresh.String()+"-0700000000000000-02", header.Str())
	_, ok := span.Attributes().Get("http.request.header.tracestate")
	assert.False(t, ok)

	assert.Equal(t, 2, span.Links().Len())
	other, way := span.Links().At(0), span.Links().At(1)
	assert.NotEqual(t, pcommon.TraceID{9}, other.TraceID())
	assert.Equal(t, uint32(0x302), other.Flags())
	assert.Empty(t, other.TraceState().AsRaw())
	assert.Equal(t, oldTrace, way.TraceID())
	assert.Equal(t, span.SpanID(), way.SpanID())
	assert.Equal(t, map[string]any{"app.link.relation": "crosses_boundary"}, way.Attributes().AsRaw())

	// The linked trace, at another replica.
	replica := compile(t, settings)
	linked, there := oneSpan(func(s ptrace.Span) { s.SetTraceID(pcommon.TraceID{9}) })
	replica.Traces(linked)
	assert.Equal(t, other.TraceID(), there.TraceID(), "links to a restarted trace follow it")

	ld := plog.NewLogs()
	lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	lr.SetTraceID(oldTrace)
	lr.SetFlags(1)
	lr.Attributes().PutStr("app.verifier.subject.id", oldTrace.String()+"/0700000000000000")
	replica.Logs(ld)
	assert.Equal(t, fresh, lr.TraceID())
	assert.Equal(t, plog.LogRecordFlags(2), lr.Flags())
	subject, _ := lr.Attributes().Get("app.verifier.subject.id")
	assert.Equal(t, fresh.String()+"/0700000000000000", subject.Str(), "a verdict finds its step")

	md := pmetric.NewMetrics()
	ex := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyHistogram().DataPoints().AppendEmpty().Exemplars().AppendEmpty()
	ex.SetTraceID(oldTrace)
	replica.Metrics(md)
	assert.Equal(t, fresh, ex.TraceID())

	pd := pprofile.NewProfiles()
	pl := pd.Dictionary().LinkTable().AppendEmpty()
	pl.SetTraceID(oldTrace)
	replica.Profiles(pd)
	assert.Equal(t, fresh, pl.TraceID())

	// Another key, another trace; another tenant, the same.
	foreign, elsewhere := oneSpan(func(ptrace.Span) {})
	compile(t, Settings{RestartTraces: true, Key: "another key of the tests"}).Traces(foreign)
	assert.NotEqual(t, fresh, elsewhere.TraceID())
	tenant, inside := oneSpan(func(ptrace.Span) {})
	tenant.ResourceSpans().At(0).Resource().Attributes().PutStr("tenant.id", "t1")
	replica.Traces(tenant)
	assert.Equal(t, fresh, inside.TraceID())
}

func TestASecondRestartChangesNothing(t *testing.T) {
	p := compile(t, Settings{RestartTraces: true, TracestateAllow: []string{"*"}})
	td, span := oneSpan(func(s ptrace.Span) {
		for _, id := range []pcommon.TraceID{oldTrace, {9}} {
			s.Links().AppendEmpty().SetTraceID(id)
		}
	})
	p.Traces(td)
	span.SetFlags(span.Flags() | 1) // a sampler behind the boundary
	span.TraceState().FromRaw("ot=th:8")
	before, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	assert.Zero(t, p.Traces(td).Total())
	after, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	assert.Equal(t, before, after)
}

// A sender can state the relation of our own link, or our stamp, but not make
// an id that passes for one of ours.
func TestNobodyElseCanCallATraceRestarted(t *testing.T) {
	p := compile(t, Settings{RestartTraces: true})
	td, span := oneSpan(func(s ptrace.Span) {
		s.Attributes().PutStr("app.redaction.boundary", "test")
		s.Attributes().PutStr("app.redaction.policy", p.Hash())
		link := s.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID{9})
		link.Attributes().PutStr("app.link.relation", "crosses_boundary")
	})
	p.Traces(td)
	assert.NotEqual(t, oldTrace, span.TraceID())
	assert.NotEqual(t, pcommon.TraceID{9}, span.Links().At(0).TraceID())
	assert.Equal(t, oldTrace, span.Links().At(1).TraceID())

	rng := rand.New(rand.NewPCG(1, 2))
	w := p.walk()
	made := map[[16]byte]bool{}
	for range 20000 {
		var id [16]byte
		for i := range id {
			id[i] = byte(rng.Uint32())
		}
		fresh, changed := w.newTrace(id)
		assert.True(t, changed)
		_, again := w.newTrace(fresh)
		assert.False(t, again)
		made[fresh] = true
	}
	assert.Len(t, made, 20000)
}

// The way back is linked where a trace entered: not on every span of it.
func TestWhichSpansLinkBack(t *testing.T) {
	p := compile(t, Settings{RestartTraces: true})
	for _, c := range []struct {
		name   string
		parent pcommon.SpanID
		flags  uint32
		kind   ptrace.SpanKind
		want   int
	}{
		{"no parent", pcommon.SpanID{}, 0, ptrace.SpanKindInternal, 1},
		{"parent elsewhere", pcommon.SpanID{1}, 0x300, ptrace.SpanKindInternal, 1},
		{"parent here", pcommon.SpanID{1}, 0x100, ptrace.SpanKindServer, 0},
		{"nothing known, server", pcommon.SpanID{1}, 0, ptrace.SpanKindServer, 1},
		{"nothing known, consumer", pcommon.SpanID{1}, 0, ptrace.SpanKindConsumer, 1},
		{"nothing known, client", pcommon.SpanID{1}, 1, ptrace.SpanKindClient, 0},
	} {
		td, span := oneSpan(func(s ptrace.Span) {
			s.SetParentSpanID(c.parent)
			s.SetFlags(c.flags)
			s.SetKind(c.kind)
		})
		p.Traces(td)
		assert.Equal(t, c.want, span.Links().Len(), c.name)
		assert.Equal(t, c.parent, span.ParentSpanID(), c.name)
	}
}
