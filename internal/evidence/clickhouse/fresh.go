package clickhouse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// fresh finds out which rows of a batch the store does not have, to be able to
// say so. A row whose key is new is new; of others the tables are asked.
func (w *Writer) fresh(ctx context.Context, r *rows) (*inserted, error) {
	out := &inserted{spans: make(map[uint64]bool, len(r.spans)), records: make(map[recordName]bool, len(r.records))}
	tasks := map[string]map[string]bool{} // by tenant: task_id of rows that may be there
	may := func(tenant, task string) {
		if tasks[tenant] == nil {
			tasks[tenant] = map[string]bool{}
		}
		tasks[tenant][task] = true
	}
	asked := map[string][]string{}
	statements := map[string]map[uint64]spanName{}
	for _, s := range r.spans {
		name := spanName{s.span.Tenant, s.span.ID}
		if !s.key.known {
			out.spans[name.hash()] = true
			continue
		}
		may(name.tenant, s.task)
		asked[name.tenant] = append(asked[name.tenant], strconv.FormatUint(s.statement, 10))
		if statements[name.tenant] == nil {
			statements[name.tenant] = map[uint64]spanName{}
		}
		statements[name.tenant][s.statement] = name
	}
	there := map[uint64]bool{}
	for tenant, numbers := range asked {
		err := w.ask(ctx, "spans", "statement", tenant, tasks[tenant], numbers, func(scan func(...any) error) error {
			var n uint64
			err := scan(&n)
			there[n] = true
			return err
		})
		if err != nil {
			return nil, err
		}
		for n, name := range statements[tenant] {
			if !there[n] {
				out.spans[name.hash()] = true
			}
		}
	}
	return out, w.freshRecords(ctx, r, out)
}

func (w *Writer) freshRecords(ctx context.Context, r *rows, out *inserted) error {
	tasks := map[string]map[string]bool{}
	asked := map[string][]string{}
	for _, row := range r.records {
		rec := &row.Record.Record
		name := recordName{rec.Tenant, rec.ID}
		out.records[name] = true
		if row.key != nil && !row.key.known {
			continue
		}
		if tasks[name.tenant] == nil {
			tasks[name.tenant] = map[string]bool{}
		}
		tasks[name.tenant][row.task] = true
		asked[name.tenant] = append(asked[name.tenant], literal(rec.ID[:]))
	}
	for tenant, ids := range asked {
		err := w.ask(ctx, "events", "record", tenant, tasks[tenant], ids, func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			var record evidence.RecordID
			copy(record[:], id)
			delete(out.records, recordName{tenant, record})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ask selects those identities that a table has, inside the tasks that can have
// them, so that the order of the table finds them.
func (w *Writer) ask(ctx context.Context, table, column, tenant string, tasks map[string]bool, ids []string, f func(scan func(...any) error) error) error {
	names := make([]string, 0, len(tasks))
	for t := range tasks {
		names = append(names, literal(t))
	}
	for _, in := range shorter(names) {
		for _, list := range lists(ids) {
			query := fmt.Sprintf("SELECT %s FROM %s WHERE tenant = %s AND task_id IN (%s) AND %s IN (%s)",
				column, w.c.layout.spread(table), literal(tenant), in, column, list)
			if err := w.c.each(ctx, query, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// shorter is lists for a query that holds two of them.
func shorter(texts []string) []string {
	var out []string
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && (n == 0 || size+len(texts[n]) < maxList/2) {
			size += len(texts[n]) + 1
			n++
		}
		out = append(out, lists(texts[:n])...)
		texts = texts[n:]
	}
	return out
}
