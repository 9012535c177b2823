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
func usageOf(r *evidence.Reading) Usage {
	var u Usage
	spans, parents := r.Spans()
	below := make([]bool, len(spans)) // something below states tokens
	costs := make([]bool, len(spans)) // or a cost
	each := func(mark []bool, states func(*evidence.Span) bool) {
		for i, s := range spans {
			if states(s) {
				for p := parents[i]; p >= 0 && !mark[p]; p = parents[p] {
					mark[p] = true
				}
			}
		}
	}
	each(below, func(s *evidence.Span) bool { _, in := s.Attrs.Int(semconv.GenAIUsageInputTokens); return in })
	each(costs, func(s *evidence.Span) bool { _, ok := s.Attrs.Float(semconv.AppUsageCost); return ok })
	for i, s := range spans {
		a := s.Attrs
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
