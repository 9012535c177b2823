package judge

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// spanName is the name of every verdict span, followed by the metric.
const spanName = "evaluate"

// Fill writes the verdict into an empty span. record are the attributes of the
// result, from which the provenance of what was copied is taken.
//
// The status stays unset also when the evaluation broke: that the verifier
// failed says nothing about its subject, and a span in error would.
func (v *Verdict) Fill(s ptrace.Span, record pcommon.Map) {
	id := v.ID()
	s.SetTraceID(pcommon.TraceID(id.Trace))
	s.SetSpanID(pcommon.SpanID(id.Span))
	s.SetName(spanNameOf(v.Metric))
	s.SetKind(ptrace.SpanKindInternal)
	s.SetStartTimestamp(stamp(v.Start))
	s.SetEndTimestamp(stamp(v.End))
	v.attributes(s.Attributes())
	provenance(record, s.Attributes())
	link(s, v.Target, semconv.AppLinkRelationEvaluates)
	link(s, v.Context, semconv.AppLinkRelationRelated)
}

func spanNameOf(metric string) string {
	if metric == "" {
		return spanName
	}
	return spanName + " " + metric
}

func (v *Verdict) attributes(a pcommon.Map) {
	texts := [...]struct{ key, value string }{
		{semconv.AppTaskID, string(v.Task)},
		{semconv.AppTaskParentID, string(v.ParentTask)},
		{semconv.AppTaskRootID, string(v.RootTask)},
		{semconv.AppTaskPhase, semconv.AppTaskPhaseVerify},
		{semconv.AppVerifierName, v.Verifier},
		{semconv.AppVerifierVersion, v.Version},
		{semconv.AppVerifierKind, v.Kind},
		{semconv.AppVerifierVerdict, v.Verdict},
		{semconv.AppVerifierSubjectKind, v.SubjectKind},
		{semconv.AppVerifierSubjectID, v.SubjectID},
		{semconv.GenAIEvaluationName, v.Metric},
		{semconv.GenAIEvaluationScoreLabel, v.Label},
		{semconv.GenAIResponseID, v.ResponseID},
		{semconv.ErrorType, v.ErrorType},
		{semconv.AppErrorLayer, v.Layer},
		{semconv.GenAIRequestModel, v.Model},
		{semconv.AppPromptDigest, v.PromptDigest},
		{semconv.AppEvaluationAggregation, v.Aggregation},
	}
	n := 6 // scores, attempt, gate, comparable
	for _, kv := range texts {
		if kv.value != "" {
			n++
		}
	}
	a.EnsureCapacity(n)
	for _, kv := range texts {
		if kv.value != "" {
			a.PutStr(kv.key, kv.value)
		}
	}
	putDouble(a, semconv.GenAIEvaluationScoreValue, v.Score)
	putDouble(a, semconv.AppEvaluationScaleMin, v.ScaleMin)
	putDouble(a, semconv.AppEvaluationScaleMax, v.ScaleMax)
	if v.Attempt > 0 {
		a.PutInt(semconv.AppEvaluationAttempt, v.Attempt)
	}
	if v.Gate != nil {
		a.PutBool(semconv.AppEvaluationGate, *v.Gate)
	}
	a.PutBool(semconv.AppEvaluationComparable, v.Comparable)
	if len(v.Missing) > 0 {
		putStrings(a, semconv.AppEvaluationMissing, v.Missing)
	}
}

// provenance keeps who mapped the record, and which of the copied keys were inferred.
func provenance(record, a pcommon.Map) {
	for _, key := range [...]string{semconv.AppMappingDialect, semconv.AppMappingSnapshot} {
		if s := str(record, key); s != "" {
			a.PutStr(key, s)
		}
	}
	list, ok := record.Get(semconv.AppMappingInferred)
	if !ok || list.Type() != pcommon.ValueTypeSlice {
		return
	}
	var copied []string
	for _, item := range list.Slice().All() {
		if _, ok := a.Get(item.AsString()); ok && !slices.Contains(copied, item.AsString()) {
			copied = append(copied, item.AsString())
		}
	}
	if len(copied) > 0 {
		putStrings(a, semconv.AppMappingInferred, copied)
	}
}

func link(s ptrace.Span, to evidence.StepID, relation string) {
	if to.Trace == (evidence.TraceID{}) {
		return
	}
	l := s.Links().AppendEmpty()
	l.SetTraceID(pcommon.TraceID(to.Trace))
	l.SetSpanID(pcommon.SpanID(to.Span))
	l.Attributes().PutStr(semconv.AppLinkRelation, relation)
}

func putDouble(a pcommon.Map, key string, f *float64) {
	if f != nil {
		a.PutDouble(key, *f)
	}
}

func putStrings(a pcommon.Map, key string, list []string) {
	s := a.PutEmptySlice(key)
	s.EnsureCapacity(len(list))
	for _, item := range list {
		s.AppendEmpty().SetStr(item)
	}
}

// stamp never writes a time before 1970, which OTLP cannot say.
func stamp(t time.Time) pcommon.Timestamp {
	if t.UnixNano() < 0 {
		return 0
	}
	return pcommon.NewTimestampFromTime(t)
}
