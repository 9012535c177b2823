package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ordinary is a request of one span that nothing protects, in a trace and a task
// made of n.
func ordinary(n int) string { return string(trace(n)) }

// said is a request of one log record: with the context of the span of trace n, or
// without any context, of its task.
func said(n int, context bool, event string, attributes ...string) string {
	ids := ""
	if context {
		ids = fmt.Sprintf(`"traceId":"%032x","spanId":"%016x",`, n+1, n+1)
	} else {
		attributes = append(attributes, fmt.Sprintf("app.task.id=t-%d", n))
	}
	var list []string
	for _, a := range attributes {
		k, v, _ := strings.Cut(a, "=")
		list = append(list, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, k, v))
	}
	return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1796040000500000000",%s"eventName":%q,"attributes":[%s]}]}]}]}`,
		ids, event, strings.Join(list, ","))
}

// TestWhatOnlyALogRecordStatesProtectsItsRun: a gateway that keeps no ordinary run
// keeps those of which a record, and no span, tells a protected fact.
func TestWhatOnlyALogRecordStatesProtectsItsRun(t *testing.T) {
	m, config := gatewayMachine(t)
	p := m.start(noMetricsPort, decideSoon, "--config=yaml:processors::tailpolicy::baseline::ratio: 0")
	facts := []struct{ class, log string }{
		{"", said(0, true, "app.tool.decided", "app.permission.decision=allow", "gen_ai.tool.call.id=c0")},
		{"security_denial", said(1, true, "app.tool.decided", "app.permission.decision=deny", "gen_ai.tool.call.id=c1")},
		{"security_denial", said(2, false, "app.tool.decided", "app.permission.decision=deny", "gen_ai.tool.call.id=c2")},
		{"cancel_ignored", said(3, false, "app.control.changed", "app.control.id=x", "app.control.kind=cancel", "app.control.phase=ignored", "app.control.layer=mcp")},
		{"verifier_fail", said(4, true, "gen_ai.evaluation.result", "gen_ai.evaluation.name=unit tests", "gen_ai.evaluation.score.label=fail")},
		{"unknown_effect", said(5, true, "app.effect.recorded", "app.effect.id=e5", "app.effect.stage=dispatched", "app.effect.target=prod")},
	}
	for n, f := range facts {
		if n%2 == 0 {
			m.post(p, config, "logs", f.log)
		}
		m.post(p, config, "traces", ordinary(n))
		if n%2 != 0 {
			m.post(p, config, "logs", f.log)
		}
	}
	classes := func() map[string]string { // of the spans of a task
		found := map[string]string{}
		for _, run := range m.runs() {
			for i := range run.Spans {
				found[run.Spans[i].Attrs.Str("app.task.id")] = run.Spans[i].Attrs.Str("app.sampling.class")
			}
		}
		delete(found, "")
		return found
	}
	want := map[string]string{}
	for n, f := range facts {
		if f.class != "" {
			want[fmt.Sprintf("t-%d", n)] = f.class
		}
	}
	require.Eventually(t, func() bool { return len(classes()) == len(want) }, 60*time.Second, 500*time.Millisecond, "the protected runs are stored")
	require.NoError(t, p.Stop())
	require.Equal(t, len(facts), m.count("events"), "records are never sampled")
	require.Equal(t, want, classes())
}
