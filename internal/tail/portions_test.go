package tail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// nested is a run of resources × scopes × spans with ballast.
func nested(resources, scopes, spans, ballast int) ptrace.Traces {
	td := ptrace.NewTraces()
	id := 0
	for range resources {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl("schema of a resource")
		rs.Resource().Attributes().PutStr("service.name", "one")
		for range scopes {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.SetSchemaUrl("schema of a scope")
			ss.Scope().SetName("scope")
			for range spans {
				id++
				span := ss.Spans().AppendEmpty()
				span.SetTraceID(pcommon.TraceID{1})
				span.SetSpanID(pcommon.SpanID{byte(id), byte(id >> 8), 1})
				span.Attributes().PutStr("text", strings.Repeat("x", ballast))
			}
		}
	}
	return td
}

func TestPortionsAreTheRun(t *testing.T) {
	var m ptrace.ProtoMarshaler
	for _, run := range []ptrace.Traces{nested(1, 1, 100, 100), nested(3, 3, 11, 300), nested(20, 1, 1, 900), nested(1, 2, 3, 5000), nested(40, 3, 1, 0)} {
		want := map[pcommon.SpanID]int{}
		each := func(td ptrace.Traces, do func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span)) {
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						do(rs, ss, span)
					}
				}
			}
		}
		each(run, func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, s ptrace.Span) { want[s.SpanID()]++ })
		portions := tail.Portions(run, 2000)
		require.Greater(t, len(portions), 1)
		got := map[pcommon.SpanID]int{}
		for _, p := range portions {
			require.Positive(t, p.SpanCount())
			if p.SpanCount() > 1 {
				assert.LessOrEqual(t, m.TracesSize(p), 2100)
			}
			each(p, func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, s ptrace.Span) {
				got[s.SpanID()]++
				name, _ := rs.Resource().Attributes().Get("service.name")
				assert.Equal(t, "one", name.Str())
				assert.Equal(t, "schema of a resource", rs.SchemaUrl())
				assert.Equal(t, "scope", ss.Scope().Name())
				assert.Equal(t, "schema of a scope", ss.SchemaUrl())
				assert.Equal(t, 1, s.Attributes().Len())
			})
		}
		assert.Equal(t, want, got, "each span once")
	}
	small := nested(1, 1, 3, 10)
	require.Len(t, tail.Portions(small, 2000), 1)
}
