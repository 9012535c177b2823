package tail

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A family is the leaf spans of one name under one parent, of one service and
// scope: what a stream of tokens or chunks leaves behind.
type family struct {
	trace          pcommon.TraceID
	parent         pcommon.SpanID
	name           string
	kind           ptrace.SpanKind
	service, scope string
	state          string // trace state: all that one span stands for have one weight
	recovered      bool
	tasks          [3]string
}

// leaf is a span with its number in the run.
type leaf struct {
	span ptrace.Span
	row  *evidence.Span
	n    int
}

// foldLeaves makes one span of those of a family that come after the first above,
// which stand as they are. The span has the id of the first one that it stands for
// and what all of them have in common. Only plain spans are folded, see
// evidence.Span.Plain; none with a child in the run or a link to it, and none that
// proves the class or that a record tells of. gone counts the spans
// that are; folded are these and the ones that stand for them.
func foldLeaves(td ptrace.Traces, above int, told []evidence.StepID) (gone int, folded map[evidence.StepID]bool) {
	if above <= 0 || !crowded(td, above) {
		return 0, nil
	}
	numbers := map[int]bool{}
	folded = map[evidence.StepID]bool{}
	for _, leaves := range familiesOf(td, told) {
		if len(leaves) < above+2 { // one span would take the place of one
			continue
		}
		slices.SortFunc(leaves, func(a, b leaf) int {
			return cmp.Or(cmp.Compare(a.row.Start, b.row.Start), cmp.Compare(string(a.row.ID.Span[:]), string(b.row.ID.Span[:])))
		})
		rest := leaves[above:]
		foldInto(rest)
		for i, l := range rest {
			folded[l.row.ID] = true
			if i > 0 {
				numbers[l.n] = true
			}
		}
	}
	if len(numbers) > 0 {
		remove(td, numbers)
	}
	return len(numbers), folded
}

// crowded is a cheap look whether any family can be large enough.
func crowded(td ptrace.Traces, above int) bool {
	if td.SpanCount() < above+2 {
		return false
	}
	type brood struct {
		parent pcommon.SpanID
		name   string
	}
	n := map[brood]int{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.ParentSpanID().IsEmpty() {
					continue
				}
				b := brood{span.ParentSpanID(), span.Name()}
				if n[b]++; n[b] >= above+2 {
					return true
				}
			}
		}
	}
	return false
}

func familiesOf(td ptrace.Traces, told []evidence.StepID) map[family][]leaf {
	rows := evidence.FromTraces(td)
	named := map[evidence.StepID]bool{} // by a child, a link or a record
	for _, id := range told {
		named[id] = true
	}
	for i := range rows {
		named[evidence.StepID{Trace: rows[i].ID.Trace, Span: rows[i].Parent}] = true
		for _, l := range rows[i].Links {
			named[l.To] = true
		}
	}
	out := map[family][]leaf{}
	i := -1
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				i++
				r := &rows[i]
				if span.ParentSpanID().IsEmpty() || named[r.ID] || r.ID.IsZero() || !r.Plain() {
					continue
				}
				recovered, _ := r.Attrs.Bool(semconv.AppSamplingRecovered)
				f := family{span.TraceID(), span.ParentSpanID(), span.Name(), span.Kind(), r.Service, r.Scope, r.TraceState, recovered, [3]string{}}
				for i, key := range taskKeys {
					f.tasks[i] = r.Attrs.Str(key)
				}
				out[f] = append(out[f], leaf{span, r, i})
			}
		}
	}
	return out
}

// foldInto makes the first of several spans, in order of their start, stand for all.
func foldInto(leaves []leaf) {
	into := leaves[0].span
	all := leaves[0].tally()
	for _, l := range leaves[1:] {
		all.add(l.tally())
		into.SetEndTimestamp(max(into.EndTimestamp(), l.span.EndTimestamp()))
		if into.Status().Code() != l.span.Status().Code() {
			into.Status().SetCode(ptrace.StatusCodeUnset)
		}
		into.Attributes().RemoveIf(func(k string, v pcommon.Value) bool {
			other, ok := l.span.Attributes().Get(k)
			return !ok || !v.Equal(other)
		})
	}
	into.SetDroppedEventsCount(into.DroppedEventsCount() + uint32(into.Events().Len()))
	into.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
	a := into.Attributes()
	a.PutInt(semconv.AppFoldCount, all.count)
	a.PutDouble(semconv.AppFoldDurationSum, all.sum)
	a.PutDouble(semconv.AppFoldDurationMin, all.min)
	a.PutDouble(semconv.AppFoldDurationMax, all.max)
	a.PutInt(semconv.AppFoldFirst, all.first)
	a.PutInt(semconv.AppFoldLast, all.last)
}

// tally is what a span says of those it stands for: durations in seconds, starts
// in nanoseconds since 1970.
type tally struct {
	count         int64
	sum, min, max float64
	first, last   int64
}

// tally of a span that a collector before this one folded is what that one wrote.
func (l leaf) tally() tally {
	r := l.row
	s := float64(max(r.End-r.Start, 0)) / 1e9 // one that ends before its start took no time
	t := tally{count: 1, sum: s, min: s, max: s, first: r.Start, last: r.Start}
	if n, _ := r.Attrs[semconv.AppFoldCount].(int64); n > 1 {
		t.count = n
		t.sum, _ = r.Attrs[semconv.AppFoldDurationSum].(float64)
		t.min, _ = r.Attrs[semconv.AppFoldDurationMin].(float64)
		t.max, _ = r.Attrs[semconv.AppFoldDurationMax].(float64)
		t.last, _ = r.Attrs[semconv.AppFoldLast].(int64)
	}
	return t
}

func (t *tally) add(o tally) {
	t.count += o.count
	t.sum += o.sum
	t.min, t.max = min(t.min, o.min), max(t.max, o.max)
	t.last = max(t.last, o.last)
}
