package judge

import (
	"slices"
	"time"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// opinion is the last pass or fail of one verifier in one version on a subject.
type opinion struct {
	verifier, version, metric unique.Handle[string]
	pass                      bool
	time                      int64
}

// maxOpinions bounds how many verifiers of one subject are remembered.
const maxOpinions = 8

// Dispute is a kind of disagreement; the list is closed.
type Dispute string

// Disputes of a verdict.
const (
	AgainstVerifier Dispute = "verifier" // another verifier or version says the opposite
	AgainstClaim    Dispute = "claim"    // it fails what is claimed completed
)

// Dispute compares a verdict with what was said before, remembers it, and repeats
// what it contradicts as events of its span: whoever sees only the span, such as
// a sampler that decided the run long ago, sees the disagreement.
func (m *Memory) Dispute(v *Verdict, s ptrace.Span, now time.Time) []Dispute {
	pass := v.Verdict == semconv.AppVerifierVerdictPass
	if !pass && v.Verdict != semconv.AppVerifierVerdictFail || v.SubjectKind == "" || v.SubjectID == "" {
		return nil
	}
	var out []Dispute
	k := v.subjectKey()
	all, _ := m.opinions.get(k, m.since(now))
	for _, o := range all {
		if o.pass == pass || o.verifier.Value() == v.Verifier && o.version.Value() == v.Version {
			continue
		}
		repeat(s, v, o)
		out = append(out, AgainstVerifier)
		break
	}
	m.opinions.put(k, hear(all, v, pass), now)
	if pass {
		m.hold(v, pass, now)
		return out
	}
	for _, task := range v.tasks() {
		if c, ok := m.claims.get(keyOf(ofTask, v.Tenant, string(task)), m.since(now)); ok && c.time != 0 {
			repeatClaim(s, string(task), c)
			return append(out, AgainstClaim)
		}
	}
	m.hold(v, pass, now)
	return out
}

// hear puts a verdict among the opinions; the last of one verifier in one version
// on one metric counts.
func hear(all []opinion, v *Verdict, pass bool) []opinion {
	for i := range all {
		if o := &all[i]; o.verifier.Value() == v.Verifier && o.version.Value() == v.Version && o.metric.Value() == v.Metric {
			o.pass, o.time = pass, v.End.UnixNano()
			return all
		}
	}
	return remember(all, opinion{unique.Make(v.Verifier), unique.Make(v.Version), unique.Make(v.Metric), pass, v.End.UnixNano()})
}

func remember(all []opinion, o opinion) []opinion {
	all = slices.DeleteFunc(slices.Clone(all), func(p opinion) bool {
		return p.verifier == o.verifier && p.version == o.version && p.metric == o.metric
	})
	if len(all) >= maxOpinions {
		all = all[1:]
	}
	return append(all, o)
}

func repeat(s ptrace.Span, v *Verdict, o opinion) {
	e := s.Events().AppendEmpty()
	e.SetName(semconv.EventGenAIEvaluationResult)
	e.SetTimestamp(pcommon.Timestamp(max(o.time, 0)))
	a := e.Attributes()
	said := semconv.AppVerifierVerdictFail
	if o.pass {
		said = semconv.AppVerifierVerdictPass
	}
	for _, kv := range [...][2]string{
		{semconv.AppVerifierName, o.verifier.Value()}, {semconv.AppVerifierVersion, o.version.Value()}, {semconv.GenAIEvaluationName, o.metric.Value()},
		{semconv.AppVerifierVerdict, said}, {semconv.AppVerifierSubjectKind, v.SubjectKind}, {semconv.AppVerifierSubjectID, v.SubjectID},
	} {
		if kv[1] != "" {
			a.PutStr(kv[0], kv[1])
		}
	}
}
