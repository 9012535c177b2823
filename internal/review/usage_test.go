package review

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// used is the usage of a run whose root states nothing and whose other steps state
// these attributes.
func used(steps ...evidence.Attrs) Usage {
	run := evidence.Run{Spans: []evidence.Span{span(1, 1, 0, 0, 100, agent("t", "coder", 1))}}
	for i, a := range steps {
		run.Spans = append(run.Spans, span(1, byte(i+2), 1, int64(i), int64(i+1), a))
	}
	return usageOf(evidence.Read(run))
}

func cost(f float64, basis string) evidence.Attrs {
	a := evidence.Attrs{semconv.AppUsageCost: f}
	if basis != "" {
		a[semconv.AppUsageCostBasis] = basis
	}
	return a
}

// Costs of calls are added up, whoever says that they are estimates; running totals
// and a vendor's own units are told beside them.
func TestOnlyCostsOfCallsAreAddedUp(t *testing.T) {
	u := used(cost(0.25, semconv.AppUsageCostBasisDelta), cost(0.5, ""), cost(7, semconv.AppUsageCostBasisTotal), cost(9, semconv.AppUsageCostBasisTotal),
		evidence.Attrs{semconv.AppUsageCredits: 3.0, semconv.AppUsageCostBasis: semconv.AppUsageCostBasisCredits}, cost(2, semconv.AppUsageCostBasisCredits))
	require.Equal(t, Usage{Cost: 0.75, Total: 9, Credits: 5}, u)
	require.Equal(t, "$0.75", u.Money())
	u = used(cost(0.25, semconv.AppUsageCostBasisEstimate), cost(0.5, ""))
	require.True(t, u.Estimated)
	require.Equal(t, "≈$0.75", u.Money())
}

// A running total at the root hides no cost of the calls below it, nor one below
// it the root's.
func TestARunningTotalStandsForNothing(t *testing.T) {
	root := agent("t", "coder", 1)
	root[semconv.AppUsageCost] = 0.5
	run := evidence.Run{Spans: []evidence.Span{span(1, 1, 0, 0, 9, root), span(1, 2, 1, 1, 2, cost(8, semconv.AppUsageCostBasisTotal))}}
	u := usageOf(evidence.Read(run))
	require.Equal(t, []float64{0.5, 8}, []float64{u.Cost, u.Total})
}

func TestTurnsAddUpCostsAndNotTotals(t *testing.T) {
	var s Session
	for trace, total := range []float64{1, 4, 6} {
		a := cost(total, semconv.AppUsageCostBasisTotal)
		a[semconv.AppSessionID] = "s"
		s.Add(evidence.Run{Spans: []evidence.Span{span(byte(trace+1), 1, 0, int64(trace), int64(trace), a)}})
	}
	s.Finish()
	require.Equal(t, Usage{Total: 6}, s.Usage)
}

// What cannot be added up spoils neither the sum nor its JSON.
func TestFiguresStayFiniteAndPositive(t *testing.T) {
	tokens := func(in, out int64) evidence.Attrs {
		return evidence.Attrs{semconv.GenAIUsageInputTokens: in, semconv.GenAIUsageOutputTokens: out}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -3} {
		require.Equal(t, Usage{Cost: 0.5}, used(cost(f, ""), cost(0.5, "")))
		require.Zero(t, used(cost(f, semconv.AppUsageCostBasisTotal)).Total)
		require.Zero(t, used(evidence.Attrs{semconv.AppUsageCredits: f}).Credits)
	}
	u := used(cost(math.MaxFloat64, ""), cost(math.MaxFloat64, ""), tokens(math.MaxInt64, math.MaxInt64), tokens(5, 5), tokens(-9, -9))
	require.Equal(t, []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, []int64{u.Input, u.Output, u.Tokens()})
	_, err := json.Marshal(u)
	require.NoError(t, err)
	require.Equal(t, int64(5), used(tokens(5, 0), tokens(-9, 0)).Input)
}
