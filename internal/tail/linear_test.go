//go:build unix

package tail_test

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// bring has spans arrive one by one.
func bring(t *testing.T, s *tail.State, n int, edit func(i int, span ptrace.Span)) {
	t.Helper()
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1})
	for i := range n {
		edit(i, span)
		batch, err := tail.Encode(td)
		require.NoError(t, err)
		pieces, err := batch.Split(&s.Policy, func(size int) (slab.Block, []byte) {
			block := s.Arena.Alloc(size)
			return block, s.Arena.Bytes(block)
		})
		require.NoError(t, err)
		tail.Step(s, tail.Arrive{Pieces: pieces}, time.Unix(int64(i), 0))
	}
}

func unbounded(policy tail.Policy) *tail.State {
	return tail.NewState(tail.Settings{Policy: policy, DecisionWait: time.Hour, MaxWait: 1e6 * time.Hour, MemoryBytes: 1 << 40, Remember: 8})
}

// TestRulesAreAskedOnceAVersion: of a span that comes again and again, of a run that
// grows, each version is asked about once, and the run no more when it is decided.
func TestRulesAreAskedOnceAVersion(t *testing.T) {
	asked := 0
	rule := tail.Rule{Name: "never", Match: func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool { asked++; return false }}
	s := unbounded(tail.Policy{Ratio: 1, Rules: []tail.Rule{rule}})
	defer s.Arena.Close()
	bring(t, s, 1000, func(i int, span ptrace.Span) {
		span.SetSpanID(pcommon.SpanID{byte(i % 3)})
		span.SetEndTimestamp(pcommon.Timestamp(i))
	})
	assert.Equal(t, 1, s.Runs())
	tail.Step(s, tail.Drain{}, time.Unix(1000, 0))
	assert.Zero(t, s.Runs())
	assert.Equal(t, 1000, asked)
}

// TestWorkForARunGrowsAsTheRun: sixteen times as many spans are not 256 times the work,
// whatever they name. It is measured in processor time, and the bound leaves room for
// what other work on the machine adds to that.
func TestWorkForARunGrowsAsTheRun(t *testing.T) {
	number := func(i int) (id pcommon.TraceID) {
		binary.LittleEndian.PutUint64(id[:], uint64(i)*0x9e3779b97f4a7c15|1)
		return id
	}
	for name, edit := range map[string]func(i int, span ptrace.Span){
		"versions of one span": func(int, ptrace.Span) {},
		"tasks in no order": func(i int, span ptrace.Span) {
			span.Attributes().PutStr("app.task.id", fmt.Sprintf("%x", number(i)))
		},
		"traces linked in a chain": func(i int, span ptrace.Span) {
			span.SetTraceID(number(i))
			span.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
			span.Links().AppendEmpty().SetTraceID(number(i + 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			took := func(n int) time.Duration {
				best := time.Hour
				for range 3 {
					s := unbounded(tail.Policy{})
					began := processorTime()
					bring(t, s, n, edit)
					best = min(best, processorTime()-began)
					assert.Equal(t, 1, s.Runs())
					s.Arena.Close()
				}
				return best
			}
			assert.Less(t, took(32_000), 120*took(2_000))
		})
	}
}

// TestManyLinksOfOneSpan: a hundred thousand links are not looked through for each other.
func TestManyLinksOfOneSpan(t *testing.T) {
	s := unbounded(tail.Policy{})
	defer s.Arena.Close()
	bring(t, s, 1, func(_ int, span ptrace.Span) {
		for i := range 100_000 {
			var id pcommon.TraceID
			binary.LittleEndian.PutUint64(id[:], uint64(i%50_000)+2)
			span.Links().AppendEmpty().SetTraceID(id)
		}
	})
	assert.Equal(t, 1, s.Runs())
	assert.Less(t, s.Bytes(), int64(50_001*80+100_000*24+4096)) // each of them is a key once
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
