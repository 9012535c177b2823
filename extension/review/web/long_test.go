package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
)

// The page of a long run is small, whatever is in it.
func TestPageOfALongRunIsSmall(t *testing.T) {
	h := serving(t, evidence.Batch{Spans: stopwatch.Run(stopwatch.Long, stopwatch.LongSpans, stopwatch.Traces(stopwatch.Long))})
	long := "/tasks/" + stopwatch.Job(stopwatch.Long)
	for _, address := range []string{long, long + "/graph", "/tasks"} {
		w := get(t, h, address)
		require.Equal(t, 200, w.Code)
		require.Less(t, w.Body.Len(), 300_000, address)
		require.Greater(t, w.Body.Len(), 4_000, address)
	}
}
