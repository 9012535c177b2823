package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// million fills the tables with a million spans and 62,500 links, as SQL: traces
// of sixteen spans, four to a task, each linked to the one before.
var million = []string{
	`INSERT INTO %[1]s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, duration_ns, name, operation, tool_call_id, session_id, effect_id, receipt_id, decision_id, attrs_text)
	SELECT 'acme', concat('task-', leftPad(toString(intDiv(number, 64)), 8, '0')), 1790000000000000000 + number * 1000000, MD5(toString(intDiv(number, 16))),
	reinterpretAsFixedString(cityHash64(number)), number, 1000000, 'chat', 'chat',
	concat('call-', toString(number)), concat('s-', toString(intDiv(number, 640))),
	concat('e-', toString(number)), concat('r-', toString(number)), concat('d-', toString(number)), map('app.artifact.id', concat('a-', toString(intDiv(number, 640)))) FROM numbers(1000000)`,
	`INSERT INTO %[1]s.links (tenant, trace_id, span_id, statement, n, to_trace, to_span, relation, age_ns)
	SELECT 'acme', MD5(toString(number + 1)), reinterpretAsFixedString(cityHash64((number + 1) * 16)), (number + 1) * 16, 0, MD5(toString(number)),
	reinterpretAsFixedString(cityHash64(number * 16)), 'continues', 1790000000000000000 FROM numbers(62499)`,
}

// What a reviewer asks is answered by an index: less than one row of a hundred
// is read.
func TestQuestionsReadLittle(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	_ = d.Writer(t, now).Close()
	conn := d.conn(t)
	for _, statement := range million { // each makes one part
		if err := conn.Exec(context.Background(), fmt.Sprintf(statement, d.name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ query, table string }{
		"one trace":            {"SELECT * FROM %s.spans WHERE trace_id = MD5('31000')", "spans"},
		"one trace of a run":   {"SELECT * FROM %s.spans WHERE tenant = 'acme' AND task_id IN ('task-00007750') AND trace_id = MD5('31000')", "spans"},
		"one task":             {"SELECT * FROM %s.spans WHERE tenant = 'acme' AND task_id = 'task-00007750'", "spans"},
		"links of a trace":     {"SELECT * FROM %s.links WHERE tenant = 'acme' AND trace_id = MD5('31000')", "links"},
		"who has a tool call":  {"SELECT * FROM %s.spans WHERE tool_call_id = 'call-31000'", "spans"},
		"a session":            {"SELECT * FROM %s.spans WHERE session_id = 's-70'", "spans"},
		"an effect":            {"SELECT * FROM %s.spans WHERE effect_id = 'e-31000'", "spans"},
		"a receipt":            {"SELECT * FROM %s.spans WHERE receipt_id = 'r-31000'", "spans"},
		"a decision":           {"SELECT * FROM %s.spans WHERE decision_id = 'd-31000'", "spans"},
		"an artifact":          {"SELECT * FROM %s.spans WHERE attrs_text['app.artifact.id'] = 'a-71'", "spans"},
		"who links to a trace": {"SELECT * FROM %s.links_rev WHERE tenant = 'acme' AND to_trace = MD5('31000')", "links_rev"},
	} {
		query := fmt.Sprintf(c.query, d.name)
		if n := count(t, d, "SELECT count() FROM ("+query+")"); n == 0 {
			t.Errorf("%s: nothing is found", name)
		}
		all := count(t, d, "SELECT count() FROM "+d.name+"."+c.table)
		// parts, rows and marks of each table that a query would read
		rows, err := conn.Query(context.Background(), "EXPLAIN ESTIMATE "+query)
		if err != nil {
			t.Fatal(err)
		}
		var read uint64
		for rows.Next() {
			var database, table string
			var parts, n, marks uint64
			if err := rows.Scan(&database, &table, &parts, &n, &marks); err != nil {
				t.Fatal(err)
			}
			read += n
		}
		_ = rows.Close()
		share := 100 * float64(read) / 1_000_000
		t.Logf("%s: reads %d of %d rows, %.2f %% of the spans", name, read, all, share)
		if read == 0 || share >= 1 {
			t.Errorf("%s: reads %d rows of %d, want less than 1 %% of the spans", name, read, all)
		}
	}
}
