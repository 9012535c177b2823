package load

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func TestAgentSpansAreAsBigAsTheirName(t *testing.T) {
	b := AgentSpans(100, 7)
	require.Equal(t, b, AgentSpans(100, 7))
	require.NotEqual(t, b, AgentSpans(100, 8))
	require.InDelta(t, 3500, len(b)/100, 150)
	req := ptraceotlp.NewExportRequest()
	require.NoError(t, req.UnmarshalProto(b))
	require.Equal(t, 100, req.Traces().SpanCount())
	require.Equal(t, 30, req.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Len())
}

func TestCPUOfAProcessGrows(t *testing.T) {
	before, err := CPU(os.Getpid())
	require.NoError(t, err)
	for after := before; after == before; {
		after, err = CPU(os.Getpid())
		require.NoError(t, err)
	}
	_, err = CPU(1 << 30)
	require.Error(t, err)
}
