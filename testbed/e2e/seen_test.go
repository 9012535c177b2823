package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// seen is a model call as an emitter of the convention sends it: the span with
// tools, the messages in log records of the same call.
var (
	seenSpan = []byte(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"000000000000000000000000000000a7","spanId":"00000000000000a7",
	"name":"chat m","kind":3,"startTimeUnixNano":"1796040000000000000","endTimeUnixNano":"1796040060000000000","attributes":[
	{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"app.task.id","value":{"stringValue":"seen"}},
	{"key":"gen_ai.tool.definitions","value":{"stringValue":"[{\"type\":\"function\",\"name\":\"find\",\"description\":\"` + canary + `\"}]"}}]}]}]}]}`)
	seenRecords = []byte(`{"resourceLogs":[{"scopeLogs":[{"scope":{"name":"s"},"logRecords":[
	{"timeUnixNano":"1796040000000000001","eventName":"gen_ai.system.message","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"be ` + canary + `"}}]}},
	 "traceId":"000000000000000000000000000000a7","spanId":"00000000000000a7"},
	{"timeUnixNano":"1796040000000000002","eventName":"gen_ai.user.message","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"where is ` + canary + `"}}]}},
	 "traceId":"000000000000000000000000000000a7","spanId":"00000000000000a7"}]}]}]}`)
)

// What the model saw is asked long after its text is gone, and answered by
// digests: of the tools on the span, of the messages in the records of its call.
func TestAReviewSaysWhatTheModelSawWithoutItsText(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, seenSpan)
	require.NoError(t, p.Stop())
	require.Equal(t, evidence.Partly, m.report("seen").Questions[2].Status, "without messages there is no context")
	p = m.start()
	m.send(p, seenRecords)
	require.NoError(t, p.Stop())
	q := m.report("seen").Questions[2]
	require.Equal(t, 3, q.N)
	require.Equal(t, evidence.Answered, q.Status, q.Missing)
	require.Contains(t, q.Answer, "hmac:")
	require.NotContains(t, q.Answer, canary)
	for _, run := range m.runs() {
		for _, r := range run.Records {
			require.NotContains(t, r.Body, canary)
		}
	}
}
