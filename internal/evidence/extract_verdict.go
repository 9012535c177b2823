package evidence

import (
	"math"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// verdictOf reads an evaluation result. A verdict is never guessed from a
// number: it is stated, or the label is a word for pass or fail, or it is unknown.
func verdictOf(src Source, a Attrs) Verdict {
	v := Verdict{
		Source:      src,
		SubjectKind: a.Str(semconv.AppVerifierSubjectKind),
		SubjectID:   a.Str(semconv.AppVerifierSubjectID),
		Verifier:    a.Str(semconv.AppVerifierName),
		Version:     a.Str(semconv.AppVerifierVersion),
		Kind:        a.Str(semconv.AppVerifierKind),
		Verdict:     a.Str(semconv.AppVerifierVerdict),
		Metric:      a.Str(semconv.GenAIEvaluationName),
		Score:       finite(a, semconv.GenAIEvaluationScoreValue),
		ScaleMin:    finite(a, semconv.AppEvaluationScaleMin),
		ScaleMax:    finite(a, semconv.AppEvaluationScaleMax),
	}
	v.Gate, _ = a.Bool(semconv.AppEvaluationGate)
	if _, stated := a[semconv.AppVerifierVerdict]; !stated {
		v.Verdict = verdictOfLabel(a.Str(semconv.GenAIEvaluationScoreLabel))
	}
	switch v.Verdict {
	case semconv.AppVerifierVerdictPass, semconv.AppVerifierVerdictFail:
	default:
		v.Verdict = semconv.AppVerifierVerdictUnknown
	}
	v.Missing = a.Strings(semconv.AppEvaluationMissing)
	comparable, stated := a.Bool(semconv.AppEvaluationComparable)
	if missing := missingForComparison(&v, a); len(v.Missing) == 0 {
		v.Missing = missing
	}
	v.Comparable = comparable && !outOfScale(&v) || !stated && len(v.Missing) == 0
	return v
}

func verdictOfLabel(label string) string {
	switch norm(label) {
	case "pass", "passed":
		return semconv.AppVerifierVerdictPass
	case "fail", "failed":
		return semconv.AppVerifierVerdictFail
	}
	return semconv.AppVerifierVerdictUnknown
}

// missingForComparison names the attributes without which a score may not stand
// beside another one.
func missingForComparison(v *Verdict, a Attrs) []string {
	var out []string
	if v.Verifier == "" {
		out = append(out, semconv.AppVerifierName)
	}
	if v.Version == "" {
		out = append(out, semconv.AppVerifierVersion)
	}
	if _, stated := a[semconv.GenAIEvaluationScoreValue]; !stated {
		return out
	}
	if v.Score == nil {
		out = append(out, semconv.GenAIEvaluationScoreValue)
	}
	if v.ScaleMin == nil || outOfScale(v) {
		out = append(out, semconv.AppEvaluationScaleMin)
	}
	if v.ScaleMax == nil || outOfScale(v) {
		out = append(out, semconv.AppEvaluationScaleMax)
	}
	return out
}

func outOfScale(v *Verdict) bool {
	if v.Score == nil {
		return false
	}
	return v.ScaleMin != nil && *v.Score < *v.ScaleMin || v.ScaleMax != nil && *v.Score > *v.ScaleMax
}

// finite returns a number that has a value; NaN and infinities have none.
func finite(a Attrs, key string) *float64 {
	f, ok := a.Float(key)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// subjectFromLinks fills the subject of verdicts that name none with the step
// that their span judges.
func subjectFromLinks(vs []Verdict, links []Link) {
	for i := range vs {
		v := &vs[i]
		if v.SubjectID != "" || v.SubjectKind != "" && v.SubjectKind != semconv.AppVerifierSubjectKindStep {
			continue
		}
		if step, _ := judged(links); !step.IsZero() {
			v.SubjectKind, v.SubjectID = semconv.AppVerifierSubjectKindStep, step.String()
		}
	}
}

// judged returns the step that links say is judged, and whether there is any;
// the step is zero if they name several.
func judged(links []Link) (step StepID, any bool) {
	for i := range links {
		switch l := &links[i]; {
		case !judges(l.Relation):
		case !any:
			step, any = l.To, true
		case step != l.To:
			return StepID{}, true
		}
	}
	return step, any
}
