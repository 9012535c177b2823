package storetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// exactly compares doubles by their bits; an absent map and an empty one of a
// whole row are the same, inside a value they are not.
var exactly = cmp.Options{
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
	cmpopts.EquateEmpty(),
}

func traceID(n int) (id evidence.TraceID) {
	binary.BigEndian.PutUint64(id[:], 0xa0a0_0000_0000_0000+uint64(n)<<20)
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

func spanID(n int) (id evidence.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

// at is a time in seconds after start.
func at(seconds int) int64 { return start.Add(time.Duration(seconds) * time.Second).UnixNano() }

// span makes the n-th span of a trace, which ends a second after it starts.
func span(trace, n int, change ...func(*evidence.Span)) evidence.Span {
	s := evidence.Span{
		ID:    evidence.StepID{Trace: traceID(trace), Span: spanID(n)},
		Name:  fmt.Sprintf("span %d", n),
		Start: at(trace*10 + n), End: at(trace*10 + n + 1),
		Status: evidence.StatusUnset,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func tenant(name string) func(*evidence.Span) { return func(s *evidence.Span) { s.Tenant = name } }

func task(id string) func(*evidence.Span) { return attr(semconv.AppTaskID, id) }

func attr(key string, value any) func(*evidence.Span) {
	return func(s *evidence.Span) {
		if s.Attrs == nil {
			s.Attrs = evidence.Attrs{}
		}
		s.Attrs[key] = value
	}
}

func link(trace int, relation string) func(*evidence.Span) {
	return func(s *evidence.Span) {
		s.Links = append(s.Links, evidence.Link{To: evidence.StepID{Trace: traceID(trace), Span: spanID(1)}, Relation: relation})
	}
}

// record makes a record with an id.
func record(n int, change ...func(*evidence.Record)) evidence.Record {
	r := evidence.Record{
		Time: at(n), Observed: at(n + 1), Event: "something.happened", Body: fmt.Sprintf("record %d", n),
		Attrs: evidence.Attrs{"n": int64(n)},
	}
	for _, c := range change {
		c(&r)
	}
	r.ID = evidence.RecordIDOf(&r)
	return r
}

// incident is a run of several traces and records, beside two that are not part
// of it.
func incident() evidence.Batch {
	var b evidence.Batch
	b.Spans = append(b.Spans,
		span(1, 1, task("deploy")),
		span(1, 2, attr(semconv.GenAIOperationName, "chat")),
		span(2, 1, attr(semconv.AppTaskID, "deploy-2"), attr(semconv.AppTaskParentID, "deploy"), link(1, semconv.AppLinkRelationDelegatedFrom)),
		span(2, 2, attr(semconv.GenAIToolName, "Bash"), attr(semconv.AppPermissionDecision, semconv.AppPermissionDecisionDeny)),
		span(3, 1, link(2, semconv.AppLinkRelationRetries)),
		span(4, 1, link(3, semconv.AppLinkRelationContinues), attr(semconv.AppTaskRootID, "deploy")),
		span(5, 1, link(1, semconv.AppLinkRelationFollows)),
		span(6, 1, tenant("other"), task("deploy")),
	)
	inTrace := func(n int) func(*evidence.Record) {
		return func(r *evidence.Record) { r.Step = evidence.StepID{Trace: traceID(n), Span: spanID(1)} }
	}
	b.Records = append(b.Records,
		record(1, inTrace(1)),
		record(2, inTrace(4)),
		record(3, func(r *evidence.Record) { r.Attrs[semconv.AppTaskID] = "deploy-2" }),
		record(4, func(r *evidence.Record) { r.Tenant, r.Attrs[semconv.AppTaskID] = "other", "deploy" }),
		record(5),
	)
	return b
}

// wanted is the run of a tenant that is made of these rows, in its order.
func wanted(tenant string, spans []evidence.Span, records ...evidence.Record) evidence.Run {
	run := evidence.Run{Tenant: tenant, Spans: slices.Clone(spans), Records: records}
	slices.SortFunc(run.Spans, func(a, b evidence.Span) int {
		if a.Start != b.Start {
			return int(min(max(a.Start-b.Start, -1), 1))
		}
		return bytes.Compare(append(a.ID.Trace[:], a.ID.Span[:]...), append(b.ID.Trace[:], b.ID.Span[:]...))
	})
	return run
}

func batchOf(rows []any) evidence.Batch {
	var b evidence.Batch
	for _, r := range rows {
		switch r := r.(type) {
		case evidence.Span:
			b.Spans = append(b.Spans, r)
		case evidence.Record:
			b.Records = append(b.Records, r)
		}
	}
	return b
}

func rowsOf(b evidence.Batch) []any {
	var rows []any
	for _, s := range b.Spans {
		rows = append(rows, s)
	}
	for _, r := range b.Records {
		rows = append(rows, r)
	}
	return rows
}

// dice are numbers that look thrown and are the same every time.
type dice uint64

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	return int(uint64(*d>>33) % uint64(n))
}

func shuffle[T any](d *dice, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
