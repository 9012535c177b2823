package connect

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// What came since is told by dialect and service, the earliest first; what was there
// before, or came of no dialect, is not taken for the agent.
func TestArrivals(t *testing.T) {
	of := func(dialect string) evidence.Attrs { return evidence.Attrs{semconv.AppMappingDialect: dialect} }
	trace := evidence.TraceID{7}
	runs := []evidence.Run{
		{Records: []evidence.Record{
			{Time: 5, Event: "old", Service: "s", Attrs: of("one")},
			{Time: 30, Event: "later", Service: "s", Attrs: of("one"), Step: evidence.StepID{Trace: trace}},
			{Time: 20, Event: "first", Service: "s", ServiceVersion: "1.2", Attrs: of("one")},
			{Time: 3, Observed: 12, Service: "late"},
		}},
		{Spans: []evidence.Span{
			{ID: evidence.StepID{Trace: trace}, Start: 9, End: 11, Name: "a span", Service: "s", Attrs: of("one")},
			{Start: 15, End: 16, Name: "another", Service: "t", Attrs: of("two")},
		}},
	}
	all := Arrivals(runs, 10)
	require.Equal(t, []Arrival{
		{Service: "late", First: "a log record", At: 3, Records: 1},
		{Dialect: "one", Service: "s", Version: "1.2", First: "a span", At: 9, Trace: trace, Spans: 1, Records: 2},
		{Dialect: "two", Service: "t", First: "another", At: 15, Spans: 1},
	}, all)
	require.Equal(t, all[1:2], From(all, "one"))
	require.Equal(t, all[1:], From(all, ""))
	require.Empty(t, From(all, "three"))
	require.Equal(t, "s 1.2 (one): a span at 00:00:00Z; kept so far: 1 spans, 2 log records", all[1].String())
	require.Equal(t, "late (no known dialect): a log record at 00:00:00Z; kept so far: 1 log records", all[0].String())
	require.Equal(t, "t (two): another at 00:00:00Z; kept so far: 1 spans", all[2].String())
	b, err := json.Marshal(all[1:])
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"dialect":"one","service":"s","version":"1.2","first":"a span","at":"1970-01-01T00:00:00.000000009Z","trace":"07000000000000000000000000000000","spans":1,"records":2},
		{"dialect":"two","service":"t","first":"another","at":"1970-01-01T00:00:00.000000015Z","spans":1,"records":0}]`, string(b))
}
