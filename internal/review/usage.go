package review

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Usage is what models were given and asked for, and what it cost as far as it is
// stated.
type Usage struct {
	Input  int64   `json:"input_tokens"`
	Output int64   `json:"output_tokens"`
	Cost   float64 `json:"cost_usd"`
	Calls  int     `json:"model_calls"`
}

// Tokens are all of them.
func (u Usage) Tokens() int64 { return u.Input + u.Output }

// usageOf adds up steps. A figure of a step stands for all below it, so what is
// below one that states it counts only where it does not.
func usageOf(steps []evidence.Step) Usage {
	var u Usage
	below := make([]bool, len(steps)) // something below states tokens
	costs := make([]bool, len(steps)) // or a cost
	each := func(mark []bool, states func(*evidence.Step) bool) {
		for i := range steps {
			if states(&steps[i]) {
				for p := steps[i].Parent; p >= 0 && !mark[p]; p = steps[p].Parent {
					mark[p] = true
				}
			}
		}
	}
	each(below, func(s *evidence.Step) bool { _, in := s.Span.Attrs.Int(semconv.GenAIUsageInputTokens); return in })
	each(costs, func(s *evidence.Step) bool { _, ok := s.Span.Attrs.Float(semconv.AppUsageCost); return ok })
	for i := range steps {
		a := steps[i].Span.Attrs
		if !below[i] {
			in, asked := a.Int(semconv.GenAIUsageInputTokens)
			out, _ := a.Int(semconv.GenAIUsageOutputTokens)
			u.Input, u.Output = u.Input+in, u.Output+out
			if asked {
				u.Calls++
			}
		}
		if cost, ok := a.Float(semconv.AppUsageCost); ok && !costs[i] {
			u.Cost += cost
		}
	}
	return u
}
