package evidence

import (
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A run without a wrong step is called clean only where the evidence supports
// completed and nothing that it speaks of is missing; elsewhere the review says that none was found and what limits it.
const (
	cleanWords  = "the evidence supports completed, and nothing in it went wrong and stayed so"
	noStepWords = "which does not say that all went well"
	mostNamed   = 3 // effects of one limit
)

// clean tells whether a run without a wrong step may be called so, and what the
// evidence does not tell of it.
func (x *index) clean(r *Report) (clean bool, limits []string) {
	state, why := x.supported()
	gone := x.absent()
	clean = state == semconv.AppOutcomeCompleted && !gone.any()
	if state != semconv.AppOutcomeCompleted {
		limits = append(limits, "the evidence is "+state+": "+why)
	}
	if gone.any() {
		limits = append(limits, "the run is not whole; what is missing may have gone wrong")
	}
	for _, l := range []struct {
		of    func(EffectReport) bool
		words string
	}{
		{func(e EffectReport) bool { return e.State == EffectUnknown }, "may have happened or not"},
		{func(e EffectReport) bool { return e.State == EffectReported && !clean }, "only reported by its caller"},
		{func(e EffectReport) bool { return e.Class == semconv.AppToolEffectClassDestructive }, "destructive; whether that was wanted is not judged"},
		{func(e EffectReport) bool { return e.Class == semconv.AppToolEffectClassUnknown }, "what it may change is not known"},
	} {
		if ids := effectsThat(r.Effects, l.of); len(ids) > 0 {
			limits = append(limits, few(ids)+": "+l.words)
		}
	}
	failed, unread, roots := 0, 0, 0
	for _, n := range x.nodes {
		if n.failed {
			failed++
		}
		if n.op == "" && n.span.Attrs.Str(semconv.AppMappingDialect) == "" && !speaksMCP(n.span.Attrs) {
			unread++
		}
		if n.isRoot() {
			roots++
		}
	}
	if failed > 0 {
		limits = append(limits, count(failed, "step")+" failed, and no failed outcome is seen to come of it")
	}
	if unread > 0 {
		limits = append(limits, fmt.Sprintf("%d of %s of no known dialect: what is done there is not read", unread, count(len(x.nodes), "step")))
	}
	if roots == 0 && len(x.nodes) > 0 {
		limits = append(limits, "the run's first step is not here, nor what came of it")
	}
	return clean, limits
}

func effectsThat(list []EffectReport, is func(EffectReport) bool) []string {
	var ids []string
	for _, e := range list {
		if is(e) {
			ids = append(ids, e.EffectID)
		}
	}
	return ids
}

func few(ids []string) string {
	if len(ids) <= mostNamed {
		return "effect " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("effect %s and %d more", strings.Join(ids[:mostNamed], ", "), len(ids)-mostNamed)
}
