package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// bareTables hold bare ids of traces and tasks. They are emptied in this order: an
// erasure that broke off finds its way by the edges when it is run again.
var bareTables = []string{"run_keys", "run_roots", "run_edges"}

// planKeys notes the traces and tasks of the erased rows that no other row names.
func (e *erasing) planKeys(ctx context.Context, tenant string, v *victims) error {
	if len(v.keys) == 0 {
		return nil
	}
	seeds := make([]keyName, 0, len(v.keys))
	for k := range v.keys {
		seeds = append(seeds, k)
	}
	walk, err := e.c.walk(ctx, tenant, seeds)
	if err != nil {
		return err
	}
	left := map[uint8]map[string]bool{keyTrace: {}, keyTask: {}}
	for k := range walk.age {
		left[k.kind][k.key] = true
	}
	if err := e.stillNamed(ctx, tenant, v, left); err != nil {
		return err
	}
	for _, table := range bareTables {
		for kind, keys := range left {
			names := make([]string, 0, len(keys))
			for k := range keys {
				names = append(names, literal(k))
			}
			for _, list := range lists(names) {
				where := fmt.Sprintf("kind = %d AND key IN (%s)", kind, list)
				if table == "run_edges" {
					where = fmt.Sprintf("(%s OR to_kind = %d AND to_key IN (%s))", where, kind, list)
				}
				e.deletes = append(e.deletes, deletion{table, "tenant = " + literal(tenant) + " AND " + where})
			}
		}
	}
	return nil
}

// stillNamed takes out of left the keys that a row names which stays: as its own
// trace or task, as a parent or root, or as the target of a link.
func (e *erasing) stillNamed(ctx context.Context, tenant string, v *victims, left map[uint8]map[string]bool) error {
	var traces, tasks []string
	for k := range left[keyTrace] {
		traces = append(traces, literal(k))
	}
	for k := range left[keyTask] {
		tasks = append(tasks, literal(k))
	}
	// Texts that are longer than a key are keys by their digest, which SQL does not
	// reckon here: rows with such a text are all looked at.
	named := func(list string, columns ...string) string {
		var any []string
		for _, c := range columns {
			any = append(any, fmt.Sprintf("%s IN (%s) OR length(%s) > %d", c, list, c, maxKey))
		}
		return "(" + strings.Join(any, " OR ") + ")"
	}
	attr := func(key string) string { return "attrs_text[" + quoteText(key) + "]" }
	eventTasks := []string{attr(semconv.AppTaskID), attr(semconv.AppTaskParentID), attr(semconv.AppTaskRootID)}
	spans := func(where string) (string, func(string, string) bool) {
		return "SELECT trace_id, span_id, trace_id, if(task_stated, task_id, ''), parent_task_id, stated_root_task_id" + e.of(tenant, "spans", where), v.hasSpan
	}
	events := func(where string) (string, func(string, string) bool) {
		return "SELECT record, '', trace_id, " + strings.Join(eventTasks, ", ") + e.of(tenant, "events", where), v.hasRecord
	}
	links := func(where string) (string, func(string, string) bool) {
		return "SELECT trace_id, span_id, to_trace, '', '', ''" + e.of(tenant, "links_rev", where), v.hasSpan
	}
	for _, list := range lists(traces) {
		for _, of := range []func(string) (string, func(string, string) bool){spans, events} {
			if err := e.unnamed(ctx, left, of, "trace_id IN ("+list+")"); err != nil {
				return err
			}
		}
		if err := e.unnamed(ctx, left, links, "to_trace IN ("+list+")"); err != nil {
			return err
		}
	}
	for _, list := range shorter(tasks) {
		if err := e.unnamed(ctx, left, spans, named(list, "task_id", "parent_task_id", "stated_root_task_id")); err != nil {
			return err
		}
		if err := e.unnamed(ctx, left, events, named(list, eventTasks...)); err != nil {
			return err
		}
	}
	return nil
}

func (e *erasing) unnamed(ctx context.Context, left map[uint8]map[string]bool, of func(string) (string, func(string, string) bool), where string) error {
	query, goes := of(where)
	return e.c.each(ctx, query, func(scan func(...any) error) error {
		var id, span, trace string
		var tasks [len(taskKeys)]string
		if err := scan(&id, &span, &trace, &tasks[0], &tasks[1], &tasks[2]); err != nil {
			return err
		}
		if goes(id, span) {
			return nil
		}
		delete(left[keyTrace], trace)
		for _, task := range tasks {
			delete(left[keyTask], clipped(task))
		}
		return nil
	})
}

func (v *victims) hasSpan(trace, span string) bool {
	var id evidence.StepID
	copy(id.Trace[:], trace)
	copy(id.Span[:], span)
	return v.spans[id] || v.links[id]
}

func (v *victims) hasRecord(record, _ string) bool {
	var id evidence.RecordID
	copy(id[:], record)
	return v.records[id]
}
