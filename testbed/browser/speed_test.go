package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// large is one task of 5,000 steps.
func large() evidence.Batch {
	b := stopwatch.Runs(0, 5000/stopwatch.Spans)
	for i := range b.Spans {
		s := &b.Spans[i]
		s.Attrs[semconv.AppTaskID] = "large"
		s.Start, s.End = s.Start-int64(i/stopwatch.Spans)*600e6, s.End-int64(i/stopwatch.Spans)*600e6
	}
	return b
}

// The page of a task of 5,000 steps is small, and how fast it is to be seen is told;
// a time is no assertion on a machine that does other things.
func TestLargeTask(t *testing.T) {
	b := large()
	require.Len(t, b.Spans, 5000)
	tb := open(t, over(t, stored(t, b)), desk)
	ask(tb, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	var paints, answers, used []float64
	var bytes int
	for range 5 {
		tb.open("about:blank")
		before := tb.processorTime()
		tb.open("/tasks/large")
		tb.until("it is painted", func() bool { return eval[int](tb, `performance.getEntriesByType("paint").length`) > 0 })
		paints = append(paints, eval[float64](tb, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		answers = append(answers, eval[float64](tb, `performance.getEntriesByType("navigation")[0].responseEnd`))
		used = append(used, 1000*(tb.processorTime()-before))
		bytes = eval[int](tb, `performance.getEntriesByType("navigation")[0].decodedBodySize`)
	}
	slices.Sort(paints)
	slices.Sort(answers)
	slices.Sort(used)
	t.Logf("5,000 steps, %d KB: first paint after %.0f ms at least, median %.0f; of them waiting for the answer %.0f, median %.0f; processor time of the page's thread %.0f at least, median %.0f",
		bytes/1000, paints[0], paints[2], answers[0], answers[2], used[0], used[2])
	require.Less(t, bytes, 300_000)
	tb.read("5,000 steps")
	tb.picture("large")
	tb.click("Effects ")
	tb.until("a section is where its link leads", func() bool { return tb.inView("computed from stages, not taken on trust") })
	tb.click("Questions ")
	tb.until("the last section too", func() bool { return tb.inView("why completed, failed or unknown") })
}

// processorTime is what the thread of the page has used, in seconds.
func (t *tab) processorTime() float64 {
	t.Helper()
	for _, m := range ask(t, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	t.Fatal("the browser tells no TaskDuration")
	return 0
}
