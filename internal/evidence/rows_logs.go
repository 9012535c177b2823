package evidence

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// FromLogs returns one record for every log record of ld, in its order. What is
// said of sharing and times at FromTraces holds here too.
func FromLogs(ld plog.Logs) []Record {
	out := make([]Record, 0, ld.LogRecordCount())
	for _, rl := range ld.ResourceLogs().All() {
		src := sourceOf(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			src.scope, src.scopeVersion = sl.Scope().Name(), sl.Scope().Version()
			for _, r := range sl.LogRecords().All() {
				out = append(out, src.record(r))
			}
		}
	}
	return out
}

func (src *sender) record(r plog.LogRecord) Record {
	rec := Record{
		Tenant:         src.tenant,
		Step:           StepID{Trace: TraceID(r.TraceID()), Span: SpanID(r.SpanID())},
		Time:           nanos(r.Timestamp()),
		Observed:       nanos(r.ObservedTimestamp()),
		Event:          r.EventName(),
		Severity:       severityOf(r),
		Service:        src.service,
		ServiceVersion: src.serviceVersion,
		Scope:          src.scope,
		ScopeVersion:   src.scopeVersion,
		Body:           valueOf(r.Body()),
		Attrs:          attrsOf(r.Attributes()),
		Resource:       src.resource,
	}
	if rec.Time == 0 {
		rec.Time = rec.Observed
	}
	if rec.Event == "" {
		rec.Event = rec.Attrs.Str(semconv.EventName)
	}
	rec.ID = RecordIDOf(&rec)
	return rec
}

func severityOf(r plog.LogRecord) string {
	if r.SeverityText() != "" || r.SeverityNumber() == plog.SeverityNumberUnspecified {
		return r.SeverityText()
	}
	return r.SeverityNumber().String()
}
