package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Results and strengths of an attribution.
const (
	ResultStep    = "step"
	ResultClean   = "clean"
	ResultUnknown = "unknown"

	StrengthProved  = "proved"
	StrengthLikely  = "likely"
	StrengthUnknown = "unknown"
)

// Attribute names the first wrong step of a run, or says that there is none or
// that the evidence does not reach. The same rows give the same answer in
// whatever order they arrived. A false accusation is worse than an unknown.
func Attribute(run Run) Attribution { return newIndex(run).attribute() }

func (x *index) attribute() Attribution {
	if x.attributed != nil {
		return *x.attributed
	}
	s := x.suspects()
	a := x.attributeFrom(s)
	a.Missing = union(a.Missing, x.absent().keys())
	if a.Evidence == nil {
		a.Evidence = []EvidenceRef{}
	}
	if a.Missing == nil {
		a.Missing = []string{}
	}
	x.attributed = &a
	return a
}

func (x *index) attributeFrom(s *suspects) Attribution {
	if c := s.first(); c != nil && s.severed(c) == nil {
		return x.accuse(c)
	}
	if gaps := x.gaps(s); len(gaps) > 0 {
		return unknownBecause(gaps)
	}
	return Attribution{Result: ResultClean, Strength: StrengthLikely, Evidence: x.passes()}
}

// first returns the connected candidate that ends first. Parents start first, so
// the start says nothing; of two that end together the one that began later is
// the deeper one.
func (s *suspects) first() *candidate {
	x, in := s.x, s.connected()
	var best *candidate
	for _, n := range x.nodes {
		c := s.byStep[n]
		if c == nil || !in[n] {
			continue
		}
		if best == nil || x.ended(n) < x.ended(best.at) || x.ended(n) == x.ended(best.at) && x.started(n) > x.started(best.at) {
			best = c
		}
	}
	return best
}

func (x *index) accuse(c *candidate) Attribution {
	n := c.at
	a := Attribution{
		Result:   ResultStep,
		TraceID:  n.span.ID.Trace.String(),
		SpanID:   n.span.ID.Span.String(),
		TaskID:   string(n.task),
		Agent:    x.inherited(n, semconv.GenAIAgentName),
		Layer:    x.layer(c),
		Class:    x.classOf(c),
		Strength: StrengthLikely,
		Evidence: []EvidenceRef{{"span", n.span.ID.String()}},
	}
	add := func(kind, id string) {
		if ref := (EvidenceRef{kind, id}); !slices.Contains(a.Evidence, ref) {
			a.Evidence = append(a.Evidence, ref)
		}
	}
	if c.reasons&(failedVerdict|brokeRule|lostControl) != 0 || x.statesFailure(n) {
		a.Strength = StrengthProved
	}
	for _, b := range c.breaches {
		if b.decision != nil {
			add("decision", b.decision.ID)
		}
	}
	for _, e := range c.effects {
		add("effect", e.id)
	}
	for _, p := range c.controls {
		add("control", p.ID)
	}
	for _, v := range c.verdicts {
		add("verdict", v.ref())
	}
	if a.Strength == StrengthLikely {
		switch {
		case c.reasons&lostEffect != 0:
			a.Missing = []string{semconv.AppEffectStage, semconv.AppEffectReceiptID}
		default:
			a.Missing = []string{semconv.AppVerifierVerdict}
		}
	}
	return a
}

func (v *verdict) ref() string {
	id := v.SubjectID
	if v.SubjectKind != "" {
		id = v.SubjectKind + ":" + id
	}
	return v.Verifier + "@" + v.Version + " " + id
}

// statesFailure reports whether the effect's side states on the step, or on the
// call that it carries, that its effect failed.
func (x *index) statesFailure(n *node) bool {
	for _, e := range x.effects {
		for i := range e.said {
			s := &e.said[i]
			if s.Stage == semconv.AppEffectStageFailed && s.ReportedBy != semconv.AppEffectReportedByCaller &&
				(s.at == n || s.owner == n || n.owner != nil && s.owner == n.owner) {
				return true
			}
		}
	}
	return false
}

// layer is stated on the step, else by the verdict or decision about it, else
// it follows from what the step is.
func (x *index) layer(c *candidate) string {
	if l := knownLayer(c.at.str(semconv.AppErrorLayer)); l != "" {
		return l
	}
	for _, v := range c.verdicts {
		if l := x.statedLayer(&v.Source, c.at); l != "" {
			return l
		}
		for _, again := range v.again {
			if l := x.statedLayer(again, c.at); l != "" {
				return l
			}
		}
	}
	for _, b := range c.breaches {
		if b.decision != nil {
			if l := x.statedLayer(&b.decision.Source, c.at); l != "" {
				return l
			}
		}
	}
	switch {
	case c.reasons&brokeRule != 0:
		return semconv.AppErrorLayerPolicy
	case c.reasons&lostControl != 0 && c.controls[0].Layer != "":
		return c.controls[0].Layer
	case c.reasons&failedVerdict != 0:
		return semconv.AppErrorLayerAgent
	}
	return layerOf(c.at)
}

// statedLayer returns app.error.layer of the record or span that states a fact.
func (x *index) statedLayer(src *Source, besides *node) string {
	if src.Record != (RecordID{}) {
		for _, r := range x.records {
			if r.ID == src.Record {
				return knownLayer(r.Attrs.Str(semconv.AppErrorLayer))
			}
		}
	}
	if n := x.byID[src.Step]; n != nil && n != besides {
		return knownLayer(n.span.Attrs.Str(semconv.AppErrorLayer))
	}
	return ""
}

// knownLayer returns a layer of the closed list, and nothing for another word.
func knownLayer(s string) string {
	switch s {
	case semconv.AppErrorLayerUser, semconv.AppErrorLayerAgent, semconv.AppErrorLayerModel, semconv.AppErrorLayerTool,
		semconv.AppErrorLayerMCP, semconv.AppErrorLayerA2A, semconv.AppErrorLayerACP, semconv.AppErrorLayerLSP,
		semconv.AppErrorLayerPolicy, semconv.AppErrorLayerVerifier, semconv.AppErrorLayerInfrastructure:
		return s
	}
	return ""
}

func layerOf(n *node) string {
	if speaksMCP(n.span.Attrs) {
		return semconv.AppErrorLayerMCP
	}
	switch p := n.str(semconv.AppProtocolName); p {
	case semconv.AppProtocolNameMCP, semconv.AppProtocolNameA2A, semconv.AppProtocolNameACP, semconv.AppProtocolNameLSP:
		return p
	}
	switch n.op {
	case semconv.GenAIOperationNameChat, semconv.GenAIOperationNameGenerateContent, semconv.GenAIOperationNameTextCompletion,
		semconv.GenAIOperationNameEmbeddings, semconv.GenAIOperationNameFetchResponse:
		return semconv.AppErrorLayerModel
	case semconv.GenAIOperationNameExecuteTool:
		return semconv.AppErrorLayerTool
	case semconv.GenAIOperationNameInvokeAgent, semconv.GenAIOperationNamePlan:
		return semconv.AppErrorLayerAgent
	}
	return semconv.AppErrorLayerInfrastructure
}
