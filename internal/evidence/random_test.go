package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// randomRun makes a run in which every kind of statement happens, over a few
// traces, agents and tasks, with links, cycles and clocks that are off.
func randomRun(rnd *rand.Rand, n int) Run {
	run := Run{Tenant: ""}
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	step := func() StepID { return StepID{traceOf(pick("A", "B", "C")), spanOf(fmt.Sprint("s", rnd.IntN(n)))} }
	seen := map[StepID]bool{}
	for range n {
		s := Span{ID: step(), Kind: pick("internal", "client"), Service: "svc", Status: pick(StatusUnset, StatusOK, StatusError), Attrs: Attrs{}}
		if seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		s.Start = caseStart + rnd.Int64N(1000)*1e6
		s.End = s.Start + rnd.Int64N(500)*1e6
		if rnd.IntN(20) == 0 {
			s.Start, s.End = s.Start+86400e9, s.End+86400e9
		}
		if rnd.IntN(4) > 0 {
			s.Parent = step().Span
		}
		op := pick("invoke_agent", "execute_tool", "execute_tool", "chat", "plan", "")
		s.Name = op
		if op != "" {
			s.Attrs[semconv.GenAIOperationName] = op
		}
		for range rnd.IntN(3) {
			s.Links = append(s.Links, Link{To: step(), Relation: pick("retries", "continues", "delegated_from", "evaluates", "verifies", "follows", "related")})
		}
		if s.Status == StatusError {
			s.Attrs[semconv.ErrorType] = pick("timeout", "ECONNREFUSED", "rejected", "403", "cancelled", "")
		}
		state(rnd, s.Attrs)
		run.Spans = append(run.Spans, s)
	}
	for i := range rnd.IntN(n) {
		r := Record{Time: caseStart + rnd.Int64N(2000)*1e6, Attrs: Attrs{}, Event: pick("app.tool.decided", "app.effect.recorded", "app.control.changed", "gen_ai.evaluation.result", "app.task.ended", "x")}
		if rnd.IntN(3) > 0 {
			r.Step = step()
		}
		state(rnd, r.Attrs)
		r.ID = RecordID(digest16(fmt.Sprintf("%d%#v", i, r.Attrs)))
		run.Records = append(run.Records, r)
	}
	return run
}

// state adds random statements with values that are allowed and some that are not.
func state(rnd *rand.Rand, a Attrs) {
	keys := randomKeys
	for range rnd.IntN(9) {
		k := keys[rnd.IntN(len(keys))]
		a[k.Key] = randomValue(rnd, k)
	}
	if rnd.IntN(2) == 0 {
		a[semconv.AppTaskID] = fmt.Sprint("t", rnd.IntN(3))
	}
}

var randomKeys = func() []semconv.Attribute {
	var out []semconv.Attribute
	for _, g := range semconv.App().Groups {
		out = append(out, g.Attributes...)
	}
	for _, k := range []string{semconv.GenAIAgentName, semconv.GenAIToolName, semconv.GenAIToolCallID, semconv.GenAIEvaluationScoreLabel, semconv.MCPMethodName} {
		out = append(out, semconv.Attribute{Key: k, Type: "string"})
	}
	// What decides most has to happen often.
	for range 6 {
		for _, g := range semconv.App().Groups {
			for _, a := range g.Attributes {
				switch a.Key {
				case semconv.AppEffectStage, semconv.AppEffectID, semconv.AppToolEffectClass, semconv.AppPermissionDecision,
					semconv.AppPermissionEnforced, semconv.AppControlPhase, semconv.AppVerifierVerdict, semconv.AppOutcome:
					out = append(out, a)
				}
			}
		}
	}
	return out
}()

func randomValue(rnd *rand.Rand, k semconv.Attribute) any {
	if rnd.IntN(40) == 0 {
		return []any{int64(3), nil, map[string]any{"x": []byte{1}}, math.NaN(), "text", true}[rnd.IntN(6)]
	}
	switch k.Type {
	case "int":
		return rnd.Int64N(4)
	case "double":
		return []float64{0, 1, 0.5, math.NaN(), math.Inf(1)}[rnd.IntN(5)]
	case "boolean":
		return rnd.IntN(2) == 0
	case "string[]":
		return []any{"read", fmt.Sprint("x", rnd.IntN(3))}
	}
	if len(k.Values) > 0 {
		return k.Values[rnd.IntN(len(k.Values))]
	}
	return fmt.Sprint("v", rnd.IntN(3))
}
