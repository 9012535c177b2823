package judge

import (
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Events calls yield with every result that a span states as an event, as a
// record in the context of what it judges: the step that the span links to, else
// the span itself.
func Events(s ptrace.Span, yield func(lr plog.LogRecord)) {
	for _, e := range s.Events().All() {
		if e.Name() != semconv.EventGenAIEvaluationResult {
			continue
		}
		lr := plog.NewLogRecord()
		lr.SetEventName(e.Name())
		lr.SetTimestamp(e.Timestamp())
		e.Attributes().CopyTo(lr.Attributes())
		context := evidence.StepID{Trace: evidence.TraceID(s.TraceID()), Span: evidence.SpanID(s.SpanID())}
		if of, any := judgedBy(s); any {
			context = of
		}
		lr.SetTraceID([16]byte(context.Trace))
		lr.SetSpanID([8]byte(context.Span))
		for _, key := range [...]string{semconv.AppTaskID, semconv.AppTaskParentID, semconv.AppTaskRootID, semconv.AppVerifierName,
			semconv.AppVerifierVersion, semconv.AppVerifierKind, semconv.AppMappingDialect, semconv.AppMappingSnapshot} {
			if _, stated := lr.Attributes().Get(key); stated {
				continue
			}
			if v := str(s.Attributes(), key); v != "" {
				lr.Attributes().PutStr(key, v)
			}
		}
		yield(lr)
	}
}

// Results reports whether any event of a span is a result.
func Results(s ptrace.Span) bool {
	for _, e := range s.Events().All() {
		if e.Name() == semconv.EventGenAIEvaluationResult {
			return true
		}
	}
	return false
}

// Arrival is one result with its resource, ready to be judged or held.
type Arrival struct {
	Verdict  Verdict
	Record   plog.LogRecord
	Resource plog.ResourceLogs
	Wait     []Name // names that its subject may still come for
}

// Read judges every result of a batch and looks for its subject. It returns the
// failing verdicts that claims among the records contradict.
func (m *Memory) Read(logs plog.Logs, now time.Time, yield func(Arrival)) (denied []Denied) {
	for _, rl := range logs.ResourceLogs().All() {
		tenant := tenantOf(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				if !IsResult(lr) {
					if _, claims := lr.Attributes().Get(semconv.AppOutcome); claims {
						denied = append(denied, m.SeeClaim(tenant, lr.Attributes(), int64(lr.Timestamp()), now)...)
					}
					continue
				}
				v := Judge(tenant, lr, now)
				wait := m.Aim(&v, lr.Attributes(), now)
				yield(Arrival{v, lr, rl, wait})
			}
		}
	}
	return denied
}
