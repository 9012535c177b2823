package tail

import (
	"cmp"
	"encoding/binary"
	"iter"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// randomness is 56 bits of a hash of the run, and not of a trace, so that all its
// traces agree.
func randomness(tenant, identity string) uint64 {
	k := key(kindRun, tenant, identity)
	return binary.BigEndian.Uint64(k[:8]) >> 8
}

// identity names a run by the smallest of its root tasks, else of its tasks,
// else of its trace ids, so that it does not depend on the order of arrival.
func identity(run *evidence.Run) string {
	children := map[string]bool{}
	var root, task, trace least
	for a, t := range named(run) {
		parent, top := a.Str(semconv.AppTaskParentID), a.Str(semconv.AppTaskRootID)
		own := a.Str(semconv.AppTaskID)
		if parent != "" || (top != "" && top != own) {
			children[own] = true
		}
		root.offer(top)
		task.offer(own)
		task.offer(parent)
		trace.offer(t.String())
	}
	for a := range named(run) {
		for _, id := range [...]string{a.Str(semconv.AppTaskID), a.Str(semconv.AppTaskParentID)} {
			if !children[id] {
				root.offer(id)
			}
		}
	}
	return cmp.Or(root.of("root "), task.of("task "), trace.of("trace "))
}

// named yields what names the run: its spans' and its records' words and traces.
func named(run *evidence.Run) iter.Seq2[evidence.Attrs, evidence.TraceID] {
	return func(yield func(evidence.Attrs, evidence.TraceID) bool) {
		for i := range run.Spans {
			if !yield(run.Spans[i].Attrs, run.Spans[i].ID.Trace) {
				return
			}
		}
		for i := range run.Records {
			if !yield(run.Records[i].Attrs, run.Records[i].Step.Trace) {
				return
			}
		}
	}
}

// least is the smallest non-empty text offered.
type least string

func (l *least) offer(s string) {
	if s != "" && (*l == "" || s < string(*l)) {
		*l = least(s)
	}
}

func (l least) of(kind string) string {
	if l == "" {
		return ""
	}
	return kind + string(l)
}
