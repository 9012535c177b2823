package clickhouse

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// membership tells which of some runs of one tenant a row belongs to.
type membership struct {
	traces map[evidence.TraceID]int
	tasks  map[string]int
	runs   map[string]int // by what task_id of their rows can be
	names  []string       // the same as SQL
}

// membershipOf numbers runs, given by their keys, in their order.
func membershipOf(groups [][]keyName) *membership {
	m := &membership{traces: map[evidence.TraceID]int{}, tasks: map[string]int{}, runs: map[string]int{}}
	for i, keys := range groups {
		for _, k := range keys {
			if k.kind == keyTrace {
				m.traces[evidence.TraceID([]byte(k.key))] = i
			} else {
				m.tasks[k.key] = i
			}
			m.runs[k.text()] = i
			m.names = append(m.names, literal(k.text()))
		}
	}
	return m
}

// spanRun is the run of a span that is found under a task.
func (m *membership) spanRun(trace evidence.TraceID, task string) (run int, ok bool) {
	run, ok = m.traces[trace]
	return run, ok && m.runs[task] == run
}

// recordRun is the run of a record that hangs on a key of one.
func (m *membership) recordRun(rec *evidence.Record) (run int, ok bool) {
	if rec.Step.Trace != (evidence.TraceID{}) {
		run, ok = m.traces[rec.Step.Trace]
		return run, ok
	}
	for _, key := range taskKeys {
		if id := rec.Attrs.Str(key); id != "" {
			run, ok = m.tasks[clipped(id)]
			return run, ok
		}
	}
	return 0, false
}
