package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// How far a question is answered.
const (
	Answered = "answered"
	Partly   = "partly"
	Missing  = "missing"
)

// QuestionText returns the words of question n, 1 to 10.
func QuestionText(n int) string {
	return [...]string{
		"goal, and version of agent or harness",
		"first wrong decision",
		"tools and context that the model saw",
		"identity and authority that allowed or denied",
		"intent, effect and receipt",
		"retry: the same effect or a new one",
		"layer where the cancel stopped",
		"failure boundary of remote agent, MCP or LSP",
		"verifier and version that accepted",
		"why completed, failed or unknown",
	}[n-1]
}

// Answer answers the ten questions that an incident reviewer asks.
func Answer(run Run) [10]Question { return newIndex(run).answer() }

func (x *index) answer() [10]Question {
	q := [10]Question{
		x.askGoal(), x.askFirstWrong(), x.askSeen(), x.askAuthority(), x.askEffects(),
		x.askRetries(), x.askCancel(), x.askBoundary(), x.askVerifier(), x.askWhy(),
	}
	for i := range q {
		q[i].N = i + 1
		q[i].Evidence, q[i].Missing = list(q[i].Evidence), list(q[i].Missing)
	}
	return q
}

// anywhere returns the first value of a key that groupsOf knows as asked for, the root task's before others', and
// the step that states it.
func (x *index) anywhere(key string) (value, at string) {
	asked := hasAsked
	if key == semconv.AppHarnessVersion || key == semconv.GenAIAgentVersion {
		asked = hasVersion
	}
	var other, otherAt string
	for _, n := range x.nodes {
		root := n.task == x.root
		if !root && other != "" {
			continue
		}
		v := ""
		if n.has&asked != 0 {
			v = n.span.Attrs.Str(key)
		}
		if v == "" && len(n.span.Resource) > 0 {
			v = n.span.Resource.Str(key)
		}
		switch {
		case v == "":
		case root:
			return v, n.span.ID.String()
		default:
			other, otherAt = v, n.span.ID.String()
		}
	}
	for _, r := range x.records {
		root := r.Task() == "" || r.Task() == x.root
		if !root && other != "" {
			continue
		}
		switch v := r.Attrs.Str(key); {
		case v == "":
		case root:
			return v, stepRef(r.Step)
		default:
			other, otherAt = v, stepRef(r.Step)
		}
	}
	return other, otherAt
}

// pair answers a question that needs two things.
func pair(a, b string) string {
	switch {
	case a != "" && b != "":
		return Answered
	case a != "" || b != "":
		return Partly
	}
	return Missing
}

type finding struct{ label, key string }

// find looks for the first key of each of several choices and says what is missing.
func (x *index) find(choices ...[]finding) (q Question, found []string) {
	for _, keys := range choices {
		value := ""
		for _, k := range keys {
			v, at := x.anywhere(k.key)
			if v == "" {
				continue
			}
			value = v
			q.Answer = join(q.Answer, k.label+" "+v)
			q.Evidence = union(q.Evidence, nonEmpty(at))
			break
		}
		if value == "" {
			q.Missing = append(q.Missing, keys[0].key)
		}
		found = append(found, value)
	}
	return q, found
}

func (x *index) askGoal() Question {
	q, f := x.find(
		[]finding{{"goal", semconv.AppTaskGoalDigest}},
		[]finding{{"harness", semconv.AppHarnessVersion}, {"agent", semconv.GenAIAgentVersion}},
	)
	q.Status = pair(f[0], f[1])
	return q
}

func (x *index) askSeen() Question {
	q, f := x.find(
		[]finding{{"tools", semconv.AppToolCatalogHash}},
		[]finding{{"context", semconv.AppContextHash}},
	)
	q.Status = pair(f[0], f[1])
	return q
}

func (x *index) askFirstWrong() Question {
	a := x.attribute()
	q := Question{Status: Answered, Missing: a.Missing}
	for _, e := range a.Evidence {
		q.Evidence = append(q.Evidence, e.ID)
	}
	switch a.Result {
	case ResultStep:
		q.Answer = fmt.Sprintf("%s, %s: %s in %s", x.name(a), a.Strength, a.Class, a.Layer)
	case ResultClean:
		q.Answer = "none"
	default:
		q.Status, q.Answer = Missing, "not known"
	}
	return q
}

func (x *index) name(a Attribution) string {
	for _, n := range x.nodes {
		if n.span.ID.Span.String() == a.SpanID && n.span.ID.Trace.String() == a.TraceID {
			if a.Agent != "" {
				return n.span.Name + " of " + a.Agent
			}
			return n.span.Name
		}
	}
	return a.SpanID
}

func (x *index) askAuthority() Question {
	q, f := x.find([]finding{{"actor", semconv.AppAuthorityActor}, {"subject", semconv.AppAuthoritySubject}})
	who := f[0] != ""
	lacks := []string{semconv.AppPermissionDecision}
	ids := unique{}
	for i, d := range x.decisions {
		if l := d.lacks(); i == 0 || len(l) < len(lacks) {
			lacks = l
		}
		ids.add(&q.Evidence, d.ID)
	}
	if n := len(x.decisions); n > 0 {
		q.Answer = join(q.Answer, count(n, "decision"))
	}
	switch {
	case len(lacks) == 0 && who:
		q.Status, q.Missing = Answered, nil
	case who || len(x.decisions) > 0:
		q.Status = Partly
	default:
		q.Status = Missing
	}
	q.Missing = append(q.Missing, lacks...)
	return q
}

func (x *index) askEffects() Question {
	q := Question{Status: Answered}
	count := map[string]int{}
	for _, e := range x.effects {
		count[e.state]++
		q.Evidence = append(q.Evidence, e.id)
		if e.state == EffectUnknown || e.state == EffectReported {
			q.Status = Partly
			q.Missing = union(q.Missing, []string{semconv.AppEffectStage, semconv.AppEffectReceiptID})
		}
		if e.clash {
			q.Answer = join(q.Answer, "contradicting statements of "+e.id)
		}
	}
	for _, state := range []string{EffectConfirmed, EffectCompensated, EffectReported, EffectUnknown, EffectFailed, EffectNeverSent} {
		if count[state] > 0 {
			q.Answer = join(q.Answer, fmt.Sprintf("%d %s", count[state], state))
		}
	}
	if q.Answer == "" {
		q.Answer = "no effects"
	}
	return q
}

func (x *index) askRetries() Question {
	q := Question{Status: Answered}
	retries, unproven := 0, 0
	ids := unique{}
	for _, e := range x.effects {
		for _, t := range e.tries {
			if t.relation != RelationFirst {
				retries++
				ids.add(&q.Evidence, e.id)
			}
			if t.relation == RelationSameRequest {
				unproven++
			}
		}
	}
	q.Answer = "no retries"
	if retries > 0 {
		q.Answer = fmt.Sprintf("%d retries, %d unproven", retries, unproven)
		if retries == 1 {
			q.Answer = fmt.Sprintf("1 retry, %d unproven", unproven)
		}
	}
	if unproven > 0 {
		q.Status, q.Missing = Partly, []string{semconv.AppEffectIdempotencyKey}
	}
	return q
}

func (x *index) askCancel() Question {
	q := Question{Status: Answered, Answer: "no cancel"}
	answer := ""
	for _, c := range x.controls {
		if !c.isCancel() {
			continue
		}
		q.Evidence = append(q.Evidence, c.id)
		if !c.ended() {
			q.Status, q.Missing = Partly, []string{semconv.AppControlPhase}
			answer = join(answer, "not ended")
		}
		if c.stopped != "" {
			answer = join(answer, "stopped at "+c.stopped)
		}
		if c.ignored != "" {
			answer = join(answer, "ignored by "+c.ignored)
		}
	}
	if answer != "" {
		q.Answer = answer
	}
	return q
}

func (x *index) askBoundary() Question {
	q := Question{Status: Answered, Answer: "no boundary"}
	good, failed := 0, 0
	ids := unique{}
	for _, p := range x.protocols {
		version, layer := p.Negotiated != "", !p.Failed || p.ErrorLayer != ""
		if version && layer {
			good++
		}
		if !version {
			q.Missing = union(q.Missing, []string{semconv.AppProtocolVersionNegotiated})
		}
		if !layer {
			q.Missing = union(q.Missing, []string{semconv.AppErrorLayer})
		}
		if p.Failed {
			failed++
			ids.add(&q.Evidence, stepRef(p.Step))
		}
	}
	if n := len(x.protocols); n > 0 {
		q.Answer = fmt.Sprintf("%s, %d failed", count(n, "crossing"), failed)
		switch good {
		case n:
		case 0:
			q.Status = Missing
		default:
			q.Status = Partly
		}
	}
	return q
}

func (x *index) askVerifier() Question {
	q := Question{Status: Missing, Answer: "no verdict", Missing: []string{semconv.AppVerifierVerdict, semconv.AppVerifierName, semconv.AppVerifierVersion}}
	if len(x.verdicts) == 0 {
		return q
	}
	q.Status, q.Answer = Partly, ""
	ids := unique{}
	for _, v := range x.verdicts {
		if v.Verdict.Verdict != semconv.AppVerifierVerdictUnknown && v.Verifier != "" && v.Version != "" {
			q.Status, q.Missing = Answered, nil
		}
		ids.add(&q.Evidence, v.ref())
		if said := v.Verifier + "@" + v.Version + " " + v.Verdict.Verdict; !strings.Contains(q.Answer, said) && len(q.Answer) < 120 {
			q.Answer = join(q.Answer, said)
		}
	}
	return q
}

func (x *index) askWhy() Question {
	c := x.latest[x.root]
	if c == nil {
		return Question{Status: Missing, Answer: "no claim", Missing: []string{semconv.AppOutcome}}
	}
	q := Question{Status: Partly, Answer: c.State + " claimed by " + c.By, Evidence: slices.Clone(c.Basis)}
	q.Evidence = union(q.Evidence, nonEmpty(stepRef(c.Step)))
	judged := len(x.verdicts) > 0
	known := x.attribute().Result != ResultUnknown
	switch {
	case known && (len(c.Basis) > 0 || judged):
		q.Status = Answered
	case len(c.Basis) == 0 && !judged:
		q.Missing = append(q.Missing, semconv.AppClaimBasis)
	}
	if !known {
		q.Missing = union(q.Missing, x.attribute().Missing)
	}
	q.Missing = union(q.Missing, c.Missing)
	supported, why := x.supported()
	if supported != c.State {
		q.Answer = join(q.Answer, "evidence supports "+supported+": "+why)
	}
	return q
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// unique keeps long lists of ids free of repeats.
type unique map[string]bool

func (u unique) add(list *[]string, id string) {
	if id != "" && !u[id] {
		u[id] = true
		*list = append(*list, id)
	}
}
