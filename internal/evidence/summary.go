package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Summary is one line of a listing of runs.
type Summary struct {
	Tenant    string   `json:"tenant"`
	ID        string   `json:"id"`        // root task, or "trace:" and the first trace in hex
	Name      string   `json:"name"`      // name of the root span
	Agent     string   `json:"agent"`     // agent of the root span, else its harness, else the first agent
	Service   string   `json:"service"`   // service of the root span
	Session   string   `json:"session"`   // session, else conversation, of the root span, else the first one stated
	Outcome   string   `json:"outcome"`   // latest claim for the root task, "running", or ""
	Supported string   `json:"supported"` // what the evidence supports: completed, failed, unknown
	Class     string   `json:"class"`     // first keep class, "" for an ordinary run
	Classes   []string `json:"classes"`   // all of them
	Agents    []string `json:"agents"`    // every agent named in the run, sorted
	Result    string   `json:"result"`    // attribution: step, clean, unknown
	Start     int64    `json:"start"`     // Unix nanoseconds
	End       int64    `json:"end"`
	Spans     int      `json:"spans"`
	Errors    int      `json:"errors"` // spans in error
}

// Summarize returns the line of a run in a listing.
func Summarize(run Run) Summary { return newIndex(run).summary() }

func (x *index) summary() Summary {
	s := Summary{
		Tenant: x.tenant, ID: string(x.root), Outcome: x.outcome(),
		Class: x.keepReport().Class, Classes: x.keepReport().Classes, Result: x.attribute().Result,
		Start: x.start, End: x.end, Spans: len(x.nodes),
	}
	s.Supported, _ = x.supported()
	root := x.rootSpan()
	if root != nil {
		s.Name, s.Service = root.span.Name, root.span.Service
		s.Agent, s.Session = root.str(semconv.GenAIAgentName), root.session()
		fill(&s.Agent, root.str(semconv.AppHarnessName))
	}
	for _, n := range x.nodes {
		if n.failed {
			s.Errors++
		}
		if s.Session == "" {
			s.Session = n.session()
		}
		fill(&s.Agent, n.span.Attrs.Str(semconv.GenAIAgentName))
		s.Agents = append(s.Agents, n.span.Attrs.Str(semconv.GenAIAgentName), n.span.Attrs.Str(semconv.AppHarnessName))
	}
	for _, r := range x.records {
		fill(&s.Name, r.Event)
		fill(&s.Service, r.Service)
		fill(&s.Session, sessionOf(r.Attrs))
		fill(&s.Agent, r.Attrs.Str(semconv.GenAIAgentName))
		s.Agents = append(s.Agents, r.Attrs.Str(semconv.GenAIAgentName))
	}
	slices.Sort(s.Agents)
	s.Agents = slices.DeleteFunc(slices.Compact(s.Agents), func(a string) bool { return a == "" })
	return s
}

// session is what the span, or a record in its context, states.
func (n *node) session() string {
	session := sessionOf(n.span.Attrs)
	for i := 0; session == "" && i < len(n.records); i++ {
		session = sessionOf(n.records[i].Attrs)
	}
	return session
}

func sessionOf(a Attrs) string {
	if s := a.Str(semconv.AppSessionID); s != "" {
		return s
	}
	return a.Str(semconv.GenAIConversationID)
}

func (x *index) outcome() string {
	if s := x.claimed(x.root); s != "" {
		return s
	}
	if x.unrest() != "" {
		return OutcomeRunning
	}
	return ""
}

// rootSpan returns the first root of the root task, else the first root, else
// the first span.
func (x *index) rootSpan() *node {
	var any *node
	for _, n := range x.nodes {
		if !n.isRoot() {
			continue
		}
		if n.task == x.root {
			return n
		}
		if any == nil {
			any = n
		}
	}
	if any == nil && len(x.nodes) > 0 {
		return x.nodes[0]
	}
	return any
}

// supported says what the evidence, without any claim, supports for the root
// task, and why. A claim is not evidence.
func (x *index) supported() (state, why string) {
	var passed, failed, open, disagree bool
	for _, v := range x.verdicts {
		failed = failed || v.fails()
		passed = passed || v.passes()
		open = open || v.open()
		disagree = disagree || v.disagree || v.clash
	}
	confirmed, reported, unknown, lost := 0, 0, 0, 0
	for _, e := range x.effects {
		switch e.state {
		case EffectConfirmed:
			confirmed++
		case EffectReported:
			reported++
		case EffectUnknown:
			unknown++
		case EffectFailed:
			if x.failedAgainstClaim(e) {
				lost++
			}
		}
	}
	a := x.attribute()
	switch {
	case disagree:
		return semconv.AppOutcomeUnknown, "verifiers disagree"
	case failed:
		return semconv.AppOutcomeFailed, "a verdict fails it"
	case lost > 0:
		return semconv.AppOutcomeFailed, "an effect failed and was not mended"
	case x.rootFailed():
		return semconv.AppOutcomeFailed, "the root span failed"
	case unknown > 0:
		return semconv.AppOutcomeUnknown, "an effect has no receipt and may have happened"
	case open:
		return semconv.AppOutcomeUnknown, "a verifier could not say"
	case a.Result == ResultUnknown:
		return semconv.AppOutcomeUnknown, "the evidence does not reach"
	case x.unrest() != "":
		return semconv.AppOutcomeUnknown, x.unrest()
	case passed:
		return semconv.AppOutcomeCompleted, "a verifier accepted it"
	case confirmed > 0 && reported == 0:
		return semconv.AppOutcomeCompleted, "every effect is confirmed"
	case reported > 0:
		return semconv.AppOutcomeUnknown, "effects are only reported, without receipt or verdict"
	}
	return semconv.AppOutcomeUnknown, "no verdict and no receipt"
}

func (x *index) rootFailed() bool {
	s := x.suspects()
	for _, n := range x.nodes {
		if s.outcome(n) {
			return true
		}
	}
	return false
}
