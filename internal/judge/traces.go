package judge

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Scope names the maker of verdict spans.
const Scope = "github.com/otelcol-agent/otelcol-agent/connector/evaluation"

// Count is how many results a batch had of one sort.
type Count struct {
	Outcome    Outcome
	Verdict    string
	Comparable bool
}

// Traces judges every result of a batch: one verdict span each, under the
// resource of its record. The batch is not changed.
func Traces(logs plog.Logs, now time.Time) (ptrace.Traces, map[Count]int64) {
	out := ptrace.NewTraces()
	counts := map[Count]int64{}
	for _, rl := range logs.ResourceLogs().All() {
		var spans ptrace.SpanSlice
		started := false
		tenant := tenantOf(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				if !IsResult(lr) {
					continue
				}
				if !started {
					spans, started = open(out, rl), true
				}
				v := Judge(tenant, lr, now)
				v.Fill(spans.AppendEmpty(), lr.Attributes())
				counts[Count{v.Outcome, v.Verdict, v.Comparable}]++
			}
		}
	}
	return out, counts
}

// tenantOf takes a tenant that is not text by its text form: nothing may fall
// into the empty tenant because a number was sent.
func tenantOf(r pcommon.Resource) string {
	if v, ok := r.Attributes().Get(semconv.TenantID); ok {
		return v.AsString()
	}
	return ""
}

func open(out ptrace.Traces, rl plog.ResourceLogs) ptrace.SpanSlice {
	rs := out.ResourceSpans().AppendEmpty()
	rl.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(rl.SchemaUrl())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(Scope)
	return ss.Spans()
}
