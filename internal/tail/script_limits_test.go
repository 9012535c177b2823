package tail_test

import (
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// limit reads the settings of what a policy does beside classes and shares:
//
//	fold N · run_bytes N · at_least CLASS N · slow PERCENTILE MIN_COUNT
//	quota SPANS BYTES · tenant NAME SPANS BYTES, after quota
func limit(p *tail.Policy, f []string, number float64) bool {
	at := func(i int) float64 { n, _ := strconv.ParseFloat(f[i], 64); return n }
	switch f[0] {
	case "fold":
		p.FoldAbove = int(number)
	case "run_bytes":
		p.RunBytes = int64(number)
	case "at_least":
		p.AtLeast = map[string]int{f[1]: int(at(2))}
	case "slow":
		p.Slow = tail.NewSlow(tail.SlowSettings{Percentile: number, MinCount: int(at(2)), MaxKinds: 2})
	case "quota":
		p.Quotas = tail.NewQuotas(tail.QuotaSettings{Each: tail.Quota{Spans: number, Bytes: at(2)}, MaxTenants: 8, Tenants: map[string]tail.Quota{}})
	case "tenant":
		p.Quotas.(*tail.Quotas).Tenants[f[1]] = tail.Quota{Spans: at(2), Bytes: at(3)}
	default:
		return false
	}
	return true
}

// manyOf is spans of one name in one batch.
func manyOf(s *script, count, name string, parts []string) ptrace.Traces {
	n, err := strconv.Atoi(count)
	if err != nil {
		s.t.Fatal(err)
	}
	td := ptrace.NewTraces()
	for i := range n {
		one := spanOf(s, name+"."+strconv.Itoa(i+1), parts)
		span := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		span.SetName(name)
		span.SetStartTimestamp(span.StartTimestamp() + pcommon.Timestamp(i*1e6))
		span.SetEndTimestamp(span.StartTimestamp() + pcommon.Timestamp((i+1)*1e6))
		one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td
}

// finished is what the policy did to a span, and its trace state unless it says
// that the span stands for itself.
func finished(span ptrace.Span) string {
	var out []string
	get := func(key string) (pcommon.Value, bool) { return span.Attributes().Get(key) }
	if n, ok := get("app.fold.count"); ok {
		sum, _ := get("app.fold.duration.sum")
		least, _ := get("app.fold.duration.min")
		most, _ := get("app.fold.duration.max")
		first, _ := get("app.fold.first")
		last, _ := get("app.fold.last")
		out = append(out, fmt.Sprintf("for %d of %.3fs %.3fs-%.3fs over %.3fs", n.Int(), sum.Double(), least.Double(), most.Double(), float64(last.Int()-first.Int())/1e9))
	}
	if v, ok := get("app.sampling.truncated"); ok && v.Bool() {
		out = append(out, "truncated")
	}
	if n, ok := get("app.sampling.truncated_spans"); ok {
		out = append(out, fmt.Sprintf("%d truncated", n.Int()))
	}
	if v, ok := get("app.sampling.recovered"); ok && v.Bool() {
		out = append(out, "recovered")
	}
	if v, ok := get("app.sampling.would"); ok {
		out = append(out, "would "+v.AsString())
	}
	if state := span.TraceState().AsRaw(); state != "" && state != "ot=th:0" {
		out = append(out, state)
	}
	if len(out) == 0 {
		return ""
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func finishedRun(e tail.Finished) string {
	var out []string
	for _, part := range []struct {
		n    int
		what string
	}{{e.Folded, "folded"}, {e.Truncated, "truncated"}, {e.InvalidStates, "invalid trace states"}} {
		if part.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return prefixed(" · ", strings.Join(out, ", "))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
