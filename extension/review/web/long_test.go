package web

import (
	"strings"
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

// Nor does it grow with names that are long, or with many attempts that all have marks.
func TestPageOfAnyRunIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	long := stopwatch.Run(stopwatch.Long, stopwatch.LongSpans, stopwatch.Traces(stopwatch.Long))
	for i := range long {
		s := &long[i]
		s.Name = strings.Repeat("a long name ", 200)
		s.Attrs["error.type"] = s.Name
	}
	marked := stopwatch.Runs(0, stopwatch.LongSpans/stopwatch.Spans)
	for i := range marked.Spans {
		s := &marked.Spans[i]
		s.Attrs["app.task.id"], s.Attrs["app.task.attempt"], s.Tenant = "many", int64(i/stopwatch.Spans), ""
	}
	for address, b := range map[string]evidence.Batch{"/tasks/" + stopwatch.Job(stopwatch.Long): {Spans: long}, "/tasks/many": marked} {
		w := get(t, serving(t, b), address)
		require.Equal(t, 200, w.Code)
		require.Less(t, w.Body.Len(), 300_000, address)
	}
}
