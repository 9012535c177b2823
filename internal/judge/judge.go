package judge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// IsResult reports whether a record is an evaluation result.
func IsResult(lr plog.LogRecord) bool {
	return lr.EventName() == semconv.EventGenAIEvaluationResult
}

// Judge reads one result. now is used only as the time of a verdict whose record
// states none; it is not part of its identity.
func Judge(tenant string, lr plog.LogRecord, now time.Time) Verdict {
	a := lr.Attributes()
	v := Verdict{
		Tenant:     tenant,
		Task:       taskID(a, semconv.AppTaskID),
		ParentTask: taskID(a, semconv.AppTaskParentID),
		RootTask:   taskID(a, semconv.AppTaskRootID),
		Verifier:   str(a, semconv.AppVerifierName),
		Version:    str(a, semconv.AppVerifierVersion),
		Kind:       oneOf(str(a, semconv.AppVerifierKind), kinds),
		Metric:     str(a, semconv.GenAIEvaluationName),
		Label:      str(a, semconv.GenAIEvaluationScoreLabel),
		Score:      finite(a, semconv.GenAIEvaluationScoreValue),
		ScaleMin:   finite(a, semconv.AppEvaluationScaleMin),
		ScaleMax:   finite(a, semconv.AppEvaluationScaleMax),
		Gate:       boolean(a, semconv.AppEvaluationGate),
		ResponseID: str(a, semconv.GenAIResponseID),
		ErrorType:  str(a, semconv.ErrorType),
		Layer:      oneOf(str(a, semconv.AppErrorLayer), layers),

		Model:        cmp.Or(str(a, semconv.GenAIResponseModel), str(a, semconv.GenAIRequestModel)),
		PromptDigest: str(a, semconv.AppPromptDigest),
		Attempt:      whole(a, semconv.AppEvaluationAttempt),
		Aggregation:  oneOf(str(a, semconv.AppEvaluationAggregation), aggregations),
	}
	v.Verdict = verdictOf(a, v.Label, v.ErrorType)
	v.place(a, lr)
	v.time(a, lr, now)
	v.complete(a)
	return v
}

var (
	kinds        = []string{semconv.AppVerifierKindDeterministic, semconv.AppVerifierKindHuman, semconv.AppVerifierKindLLMJudge}
	aggregations = []string{semconv.AppEvaluationAggregationSingle, semconv.AppEvaluationAggregationMean, semconv.AppEvaluationAggregationMedian,
		semconv.AppEvaluationAggregationMajority, semconv.AppEvaluationAggregationBest, semconv.AppEvaluationAggregationWorst}
	layers = []string{semconv.AppErrorLayerUser, semconv.AppErrorLayerAgent, semconv.AppErrorLayerModel, semconv.AppErrorLayerTool,
		semconv.AppErrorLayerMCP, semconv.AppErrorLayerA2A, semconv.AppErrorLayerACP, semconv.AppErrorLayerLSP, semconv.AppErrorLayerPolicy,
		semconv.AppErrorLayerVerifier, semconv.AppErrorLayerInfrastructure}
	verdicts = []string{semconv.AppVerifierVerdictPass, semconv.AppVerifierVerdictFail, semconv.AppVerifierVerdictUnknown}
)

// verdictOf takes the stated verdict, else a label that says pass or fail in so
// many words. Other labels mean different things in different metrics
// ("toxic", "yes"), and an evaluation that broke says nothing of its subject.
func verdictOf(a pcommon.Map, label, errorType string) string {
	if _, stated := a.Get(semconv.AppVerifierVerdict); stated || errorType != "" {
		return cmp.Or(oneOf(str(a, semconv.AppVerifierVerdict), verdicts), semconv.AppVerifierVerdictUnknown)
	}
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "pass", "passed":
		return semconv.AppVerifierVerdictPass
	case "fail", "failed":
		return semconv.AppVerifierVerdictFail
	}
	return semconv.AppVerifierVerdictUnknown
}

func (v *Verdict) time(a pcommon.Map, lr plog.LogRecord, now time.Time) {
	at := lr.Timestamp()
	if at == 0 {
		at = lr.ObservedTimestamp()
	}
	v.Stated = int64(at)
	v.End = at.AsTime()
	if at == 0 {
		v.End = now.UTC()
	}
	v.Start = v.End
	if took := finite(a, semconv.AppEventDuration); took != nil && *took > 0 && *took < 1e9 {
		v.Start = v.End.Add(-time.Duration(*took * float64(time.Second)))
	}
}

// complete lists what a comparison with other results would need and does not have.
func (v *Verdict) complete(a pcommon.Map) {
	v.Missing = nil
	need := func(ok bool, keys ...string) {
		if !ok {
			v.Missing = append(v.Missing, keys...)
		}
	}
	need(v.Metric != "", semconv.GenAIEvaluationName)
	need(v.Verifier != "", semconv.AppVerifierName)
	need(v.Version != "", semconv.AppVerifierVersion)
	need(v.Kind != "", semconv.AppVerifierKind)
	need(v.Gate != nil, semconv.AppEvaluationGate)
	need(v.Attempt > 0, semconv.AppEvaluationAttempt)
	need(v.Aggregation != "", semconv.AppEvaluationAggregation)
	if v.Kind == semconv.AppVerifierKindLLMJudge {
		need(v.Model != "", semconv.GenAIRequestModel)
		need(v.PromptDigest != "", semconv.AppPromptDigest)
	}
	need(v.SubjectKind != "", semconv.AppVerifierSubjectKind)
	need(v.SubjectID != "", semconv.AppVerifierSubjectID)
	if _, stated := a.Get(semconv.GenAIEvaluationScoreValue); stated {
		need(v.Score != nil, semconv.GenAIEvaluationScoreValue)
		need(v.onScale(), semconv.AppEvaluationScaleMin, semconv.AppEvaluationScaleMax)
	} else {
		need(v.Verdict != semconv.AppVerifierVerdictUnknown, semconv.AppVerifierVerdict)
	}
	if l, ok := a.Get(semconv.AppEvaluationMissing); ok && l.Type() == pcommon.ValueTypeSlice {
		for _, item := range l.Slice().All() {
			need(item.Type() != pcommon.ValueTypeStr, item.AsString())
		}
	}
	slices.Sort(v.Missing)
	v.Missing = slices.Compact(v.Missing)
	said := boolean(a, semconv.AppEvaluationComparable)
	v.Comparable = len(v.Missing) == 0 && (said == nil || *said)
}

// onScale: a scale is two ends in order, and a score outside it was not given on it.
func (v *Verdict) onScale() bool {
	if v.ScaleMin == nil || v.ScaleMax == nil || *v.ScaleMin >= *v.ScaleMax {
		return false
	}
	return v.Score == nil || (*v.ScaleMin <= *v.Score && *v.Score <= *v.ScaleMax)
}

func str(a pcommon.Map, key string) string {
	if v, ok := a.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func boolean(a pcommon.Map, key string) *bool {
	if v, ok := a.Get(key); ok && v.Type() == pcommon.ValueTypeBool {
		b := v.Bool()
		return &b
	}
	return nil
}

// whole takes a count from 1, and 0 for anything else.
func whole(a pcommon.Map, key string) int64 {
	if f := finite(a, key); f != nil && *f == math.Trunc(*f) && *f > 0 && *f < 1e9 {
		return int64(*f)
	}
	return 0
}

// finite takes a number, and leaves text that looks like one alone.
func finite(a pcommon.Map, key string) *float64 {
	v, ok := a.Get(key)
	if !ok {
		return nil
	}
	var f float64
	switch v.Type() {
	case pcommon.ValueTypeDouble:
		f = v.Double()
	case pcommon.ValueTypeInt:
		f = float64(v.Int())
	default:
		return nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func oneOf(s string, list []string) string {
	if slices.Contains(list, s) {
		return s
	}
	return ""
}
