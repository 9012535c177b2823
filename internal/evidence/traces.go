package evidence

import (
	"reflect"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// ToTraces is the way back from FromTraces. What a span does not say, such as its
// flags and dropped counts, is not there.
func ToTraces(spans []Span) (ptrace.Traces, error) {
	td := ptrace.NewTraces()
	var to ptrace.SpanSlice
	for i := range spans {
		s := &spans[i]
		if i == 0 || !sameSender(s, &spans[i-1]) {
			rs := td.ResourceSpans().AppendEmpty()
			if err := fromRaw(rs.Resource().Attributes(), s.Resource); err != nil {
				return td, err
			}
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(s.Scope)
			ss.Scope().SetVersion(s.ScopeVersion)
			to = ss.Spans()
		}
		if err := s.copyTo(to.AppendEmpty()); err != nil {
			return td, err
		}
	}
	return td, nil
}

func sameSender(a, b *Span) bool {
	return a.Scope == b.Scope && a.ScopeVersion == b.ScopeVersion && reflect.DeepEqual(a.Resource, b.Resource)
}

func (s *Span) copyTo(to ptrace.Span) error {
	to.SetTraceID(pcommon.TraceID(s.ID.Trace))
	to.SetSpanID(pcommon.SpanID(s.ID.Span))
	to.SetParentSpanID(pcommon.SpanID(s.Parent))
	to.SetName(s.Name)
	to.SetKind(kindFrom(s.Kind))
	to.SetStartTimestamp(pcommon.Timestamp(s.Start))
	to.SetEndTimestamp(pcommon.Timestamp(s.End))
	to.TraceState().FromRaw(s.TraceState)
	to.Status().SetMessage(s.StatusMessage)
	switch s.Status {
	case StatusOK:
		to.Status().SetCode(ptrace.StatusCodeOk)
	case StatusError:
		to.Status().SetCode(ptrace.StatusCodeError)
	}
	if err := fromRaw(to.Attributes(), s.Attrs); err != nil {
		return err
	}
	for _, l := range s.Links {
		link := to.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID(l.To.Trace))
		link.SetSpanID(pcommon.SpanID(l.To.Span))
		link.TraceState().FromRaw(l.TraceState)
		if err := fromRaw(link.Attributes(), l.Attrs); err != nil {
			return err
		}
		if l.Relation != "" && l.Relation != semconv.AppLinkRelationRelated {
			link.Attributes().PutStr(semconv.AppLinkRelation, l.Relation)
		}
	}
	for _, e := range s.Events {
		event := to.Events().AppendEmpty()
		event.SetTimestamp(pcommon.Timestamp(e.Time))
		event.SetName(e.Name)
		if err := fromRaw(event.Attributes(), e.Attrs); err != nil {
			return err
		}
	}
	return nil
}

func kindFrom(kind string) ptrace.SpanKind {
	for _, k := range []ptrace.SpanKind{ptrace.SpanKindInternal, ptrace.SpanKindServer, ptrace.SpanKindClient, ptrace.SpanKindProducer, ptrace.SpanKindConsumer} {
		if kindOf(k) == kind {
			return k
		}
	}
	return ptrace.SpanKindUnspecified
}

// ToLogs is the way back from FromLogs, without what no class reads: bodies,
// severities, resources but for the tenant, and scopes.
func ToLogs(records []Record) (plog.Logs, error) {
	ld := plog.NewLogs()
	for i := range records {
		r := &records[i]
		rl := ld.ResourceLogs().AppendEmpty()
		if r.Tenant != "" {
			rl.Resource().Attributes().PutStr(semconv.TenantID, r.Tenant)
		}
		to := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		to.SetTraceID(pcommon.TraceID(r.Step.Trace))
		to.SetSpanID(pcommon.SpanID(r.Step.Span))
		to.SetTimestamp(pcommon.Timestamp(r.Time))
		to.SetObservedTimestamp(pcommon.Timestamp(r.Observed))
		to.SetEventName(r.Event)
		if err := fromRaw(to.Attributes(), r.Attrs); err != nil {
			return ld, err
		}
	}
	return ld, nil
}

func fromRaw(to pcommon.Map, a Attrs) error {
	if len(a) == 0 {
		return nil
	}
	return to.FromRaw(a)
}
