package review

import (
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Usage is what models were given and asked for, and what it cost as far as it is
// stated. Figures are finite and not negative, and stop at the largest there is.
type Usage struct {
	Input     int64   `json:"input_tokens"`
	Output    int64   `json:"output_tokens"`
	Cost      float64 `json:"cost_usd"`
	Estimated bool    `json:"cost_estimated"` // some of the cost is a sender's estimate, no bill
	Total     float64 `json:"cost_total_usd"` // the largest running total that a step states, of more than this run: not part of the cost
	Credits   float64 `json:"credits"`        // units of a vendor's own
	Calls     int     `json:"model_calls"`
}

// Tokens are all of them.
func (u Usage) Tokens() int64 { return more(u.Input, u.Output) }

// Money is the cost for a reader, an estimate marked as one; nothing for zero.
func (u Usage) Money() string {
	if text := Money(u.Cost); text == "" || !u.Estimated {
		return text
	}
	return "≈" + Money(u.Cost)
}

// TotalMoney is the running total for a reader.
func (u Usage) TotalMoney() string { return Money(u.Total) }

// add counts v too.
func (u *Usage) add(v Usage) {
	u.Input, u.Output, u.Calls = more(u.Input, v.Input), more(u.Output, v.Output), u.Calls+v.Calls
	u.Cost, u.Credits = most(u.Cost+v.Cost), most(u.Credits+v.Credits)
	u.Estimated = u.Estimated || v.Estimated
	u.Total = max(u.Total, v.Total)
}

// more adds two counts.
func more(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func most(f float64) float64 { return min(f, math.MaxFloat64) }

// tokens is a count that an attribute states.
func tokens(a evidence.Attrs, key string) (n int64, ok bool) {
	n, ok = a.Int(key)
	return max(n, 0), ok
}

// amount is a sum that an attribute states; what is no sum is not there.
func amount(a evidence.Attrs, key string) (f float64, ok bool) {
	f, ok = a.Float(key)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0, false
	}
	return f, true
}

// charged is what a step states of money and credits. A running total is of more
// than the step (ADR-0005).
func charged(a evidence.Attrs) (u Usage, states bool) {
	cost, priced := amount(a, semconv.AppUsageCost)
	credits, counted := amount(a, semconv.AppUsageCredits)
	u.Credits = credits
	switch a.Str(semconv.AppUsageCostBasis) {
	case semconv.AppUsageCostBasisTotal:
		u.Total = cost
	case semconv.AppUsageCostBasisCredits:
		u.Credits = most(credits + cost)
	case semconv.AppUsageCostBasisEstimate:
		u.Cost, u.Estimated = cost, cost > 0
	default:
		u.Cost = cost
	}
	return u, priced || counted
}

// usageOf adds up steps. A figure of a step stands for all below it, so what is
// below one that states it counts only where it does not.
func usageOf(r *evidence.Reading) Usage {
	var u Usage
	spans, parents := r.Spans()
	counted := make([]bool, len(spans)) // something below states tokens
	priced := make([]bool, len(spans))  // or a cost
	each := func(mark []bool, states func(evidence.Attrs) bool) {
		for i, s := range spans {
			if states(s.Attrs) {
				for p := parents[i]; p >= 0 && !mark[p]; p = parents[p] {
					mark[p] = true
				}
			}
		}
	}
	each(counted, func(a evidence.Attrs) bool { _, ok := tokens(a, semconv.GenAIUsageInputTokens); return ok })
	each(priced, func(a evidence.Attrs) bool {
		c, ok := charged(a)
		return ok && c.Total == 0
	})
	for i, s := range spans {
		var step Usage
		if c, ok := charged(s.Attrs); ok {
			if priced[i] {
				c = Usage{Total: c.Total}
			}
			step = c
		}
		if !counted[i] {
			var asked bool
			step.Input, asked = tokens(s.Attrs, semconv.GenAIUsageInputTokens)
			step.Output, _ = tokens(s.Attrs, semconv.GenAIUsageOutputTokens)
			if asked {
				step.Calls = 1
			}
		}
		u.add(step)
	}
	return u
}
