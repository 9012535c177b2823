package planted

import (
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func rfc3339(t int64) string { return time.Unix(0, t).UTC().Format(time.RFC3339Nano) }

// verdict judges a step, by a span with a trace of its own or by a record.
func (b *builder) verdict(of *evidence.Span, verifier, version, verdict string, subject ...any) {
	facts := append([]any{semconv.AppVerifierName, verifier, semconv.AppVerifierVersion, version, semconv.AppVerifierVerdict, verdict}, subject...)
	if b.chance(2) {
		v := b.trace("", "evaluate", "", append(facts, semconv.AppTaskPhase, "verify")...)
		link(v, semconv.AppLinkRelationEvaluates, of)
		b.close(v)
		return
	}
	if len(subject) == 0 {
		facts = append(facts, semconv.AppVerifierSubjectKind, "step", semconv.AppVerifierSubjectID, of.ID.String())
	}
	b.record(nil, semconv.EventGenAIEvaluationResult, append(facts, semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))...)
}

// verdictFaults: a verifier fails what a step did.
func verdictFaults(out *[]plan) {
	judged := func(name, claim string, event happens) {
		*out = append(*out, plan{name, func(b *builder) { b.tell(telling{event: event, claim: claim}) }, false})
	}
	for _, claim := range []string{"", "completed"} {
		class, suffix := "verifier_fail", ""
		if claim != "" {
			class, suffix = "verifier_disagreement", " against the claim"
		}
		judged("a step that a verifier fails"+suffix, claim, func(b *builder, p *evidence.Span, agent string) {
			t := b.close(b.open(p, b.pick("execute_tool", "chat", "plan"), "draft"))
			b.blame(t, agent, "agent", class, true)
			b.verdict(t, "tests", "1", "fail")
		})
		judged("an artifact that a verifier fails"+suffix, claim, func(b *builder, p *evidence.Span, agent string) {
			id := b.id("artifact")
			b.close(b.open(p, "execute_tool", "read", semconv.AppArtifactID, b.id("artifact"), semconv.AppArtifactRole, "consumed"))
			t := b.close(b.open(p, "execute_tool", "edit", semconv.AppArtifactID, id, semconv.AppArtifactRole, "produced"))
			b.close(b.open(p, "execute_tool", "read", semconv.AppArtifactID, id, semconv.AppArtifactRole, "consumed"))
			b.blame(t, agent, "agent", class, true)
			b.verdict(t, "tests", "1", "fail", semconv.AppVerifierSubjectKind, "artifact", semconv.AppVerifierSubjectID, id)
		})
		judged("an effect that a verifier fails"+suffix, claim, func(b *builder, p *evidence.Span, agent string) {
			t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, "external")
			id := b.id("effect")
			b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "receipt")
			b.close(t)
			b.blame(t, agent, "agent", class, true)
			b.verdict(t, "probe", "2", "fail", semconv.AppVerifierSubjectKind, "effect", semconv.AppVerifierSubjectID, id)
		})
	}
	judged("an answer that a verifier fails, above an error that was coped with", "", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		a := b.open(p, "invoke_agent", name)
		asDecoy(otherAgentCoped)(b, a, name)
		asDecoy(contained)(b, a, name)
		b.blame(b.close(a), name, "agent", "verifier_fail", true)
		b.verdict(a, "judge", "1", "fail")
	})
	judged("two verifiers that disagree", "", func(b *builder, p *evidence.Span, agent string) {
		t := b.close(b.open(p, "execute_tool", "edit"))
		b.blame(t, agent, "agent", "verifier_disagreement", true)
		b.verdict(t, "tests", "1", "pass")
		b.verdict(t, b.pick("tests", "judge"), "2", "fail")
	})
}
