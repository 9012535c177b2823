package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// judgeEffect computes the state of an effect and what is known of each try.
func (x *index) judgeEffect(e *effect) {
	for _, t := range e.tries {
		t.outcome = x.outcomeOf(e, t)
	}
	if e.stated {
		e.state = x.stateOfStages(e)
		return
	}
	e.state = stateOfCalls(e.tries)
}

// stateOfStages walks the stages by event time. What a blocked call says of
// sending does not count; only the effect's side can prove the opposite.
func (x *index) stateOfStages(e *effect) string {
	var confirmed, sent, compensated, failed bool
	for i := range e.said {
		s := &e.said[i]
		switch s.Stage {
		case semconv.AppEffectStageDispatched, semconv.AppEffectStageAcked:
			if s.owner != nil && x.blocked(s.owner) {
				continue
			}
			sent = true
			if s.Stage == semconv.AppEffectStageDispatched {
				failed = false
			}
		case semconv.AppEffectStageReceipt:
			confirmed, compensated = true, false
		case semconv.AppEffectStageVerified:
			confirmed = true
		case semconv.AppEffectStageCompensated:
			compensated = confirmed
			sent = true
		case semconv.AppEffectStageFailed:
			if s.ReportedBy != semconv.AppEffectReportedByCaller {
				failed = true
			}
		}
	}
	switch {
	case compensated:
		return EffectCompensated
	case confirmed:
		return EffectConfirmed
	case failed:
		return EffectFailed
	case sent:
		return EffectUnknown
	}
	return EffectNeverSent
}

// stateOfCalls judges an effect of which no stage is stated by how its calls
// ended. A lost call that a later one repeated well is reported; a lost call
// that nothing followed up stays unknown.
func stateOfCalls(tries []*try) string {
	state, reportedAt := EffectNeverSent, int64(0)
	reported := false
	for _, t := range tries {
		if t.outcome == EffectReported {
			reported, reportedAt = true, max(reportedAt, t.end)
		}
	}
	for _, t := range tries {
		switch t.outcome {
		case EffectUnknown:
			if !reported || t.end > reportedAt {
				return EffectUnknown
			}
		case EffectFailed:
			state = EffectFailed
		}
	}
	if reported {
		return EffectReported
	}
	return state
}

// outcomeOf says what is known of one try by itself.
func (x *index) outcomeOf(e *effect, t *try) string {
	if !e.stated {
		return x.outcomeOfCall(t.owner)
	}
	return x.stateOfStages(&effect{said: t.said})
}

// outcomeOfCall reads how a call ended. The spans directly below it, its
// clients, can know better why it failed.
func (x *index) outcomeOfCall(n *node) string {
	switch {
	case n == nil:
		return EffectUnknown
	case x.blocked(n):
		return EffectNeverSent
	case n.error == noError:
		return EffectReported
	}
	kind := n.error
	for _, c := range n.children {
		if !c.failed || !c.isClient() {
			continue
		}
		switch c.error {
		case lostError, canceledError:
			kind = c.error
		case unsentError:
			if kind == ownError {
				kind = unsentError
			}
		}
	}
	switch kind {
	case lostError, canceledError:
		return EffectUnknown
	case unsentError:
		return EffectNeverSent
	}
	return EffectFailed
}

// isClient reports whether the span carries a call to its other side.
func (n *node) isClient() bool {
	if n.isTool() {
		return false
	}
	return n.span.Kind == "client" || speaksMCP(n.span.Attrs) || n.span.Attrs.Str(semconv.AppProtocolName) != ""
}
