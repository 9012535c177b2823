package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// many fills the tables with 64 granules of spans, 262,144 of them, and 16,383 links, as SQL: traces
// of sixteen spans, four to a task, each linked to the one before.
var many = []string{
	`INSERT INTO %[1]s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, duration_ns, name, operation, tool_call_id, session_id, effect_id, receipt_id, decision_id, attrs_text)
	SELECT 'acme', concat('task-', leftPad(toString(intDiv(number, 64)), 8, '0')), 1790000000000000000 + number * 1000000, MD5(toString(intDiv(number, 16))),
	reinterpretAsFixedString(cityHash64(number)), number, 1000000, 'chat', 'chat',
	concat('call-', toString(number)), concat('s-', toString(intDiv(number, 640))),
	concat('e-', toString(number)), concat('r-', toString(number)), concat('d-', toString(number)), map('app.artifact.id', concat('a-', toString(intDiv(number, 640)))) FROM numbers(262144)`,
	`INSERT INTO %[1]s.links (tenant, trace_id, span_id, statement, n, to_trace, to_span, relation, age_ns)
	SELECT 'acme', MD5(toString(number + 1)), reinterpretAsFixedString(cityHash64((number + 1) * 16)), (number + 1) * 16, 0, MD5(toString(number)),
	reinterpretAsFixedString(cityHash64(number * 16)), 'continues', 1790000000000000000 FROM numbers(16383)`,
}

// What a reviewer asks is answered by an index: of each part two granules are read at
// most, however many rows there are.
func TestQuestionsReadLittle(t *testing.T) {
	t.Parallel()
	server := instance.Start(t)
	d := fresh(server)
	_ = d.Writer(t, now).Close()
	conn := d.conn(t)
	for _, statement := range many { // each makes one part
		if err := conn.Exec(context.Background(), fmt.Sprintf(statement, d.name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ query, table string }{
		"one trace":            {"SELECT * FROM %s.spans WHERE trace_id = MD5('12000')", "spans"},
		"one trace of a run":   {"SELECT * FROM %s.spans WHERE tenant = 'acme' AND task_id IN ('task-00003000') AND trace_id = MD5('12000')", "spans"},
		"one task":             {"SELECT * FROM %s.spans WHERE tenant = 'acme' AND task_id = 'task-00003000'", "spans"},
		"links of a trace":     {"SELECT * FROM %s.links WHERE tenant = 'acme' AND trace_id = MD5('12000')", "links"},
		"who has a tool call":  {"SELECT * FROM %s.spans WHERE tool_call_id = 'call-31000'", "spans"},
		"a session":            {"SELECT * FROM %s.spans WHERE session_id = 's-70'", "spans"},
		"an effect":            {"SELECT * FROM %s.spans WHERE effect_id = 'e-31000'", "spans"},
		"a receipt":            {"SELECT * FROM %s.spans WHERE receipt_id = 'r-31000'", "spans"},
		"a decision":           {"SELECT * FROM %s.spans WHERE decision_id = 'd-31000'", "spans"},
		"an artifact":          {"SELECT * FROM %s.spans WHERE attrs_text['app.artifact.id'] = 'a-71'", "spans"},
		"who links to a trace": {"SELECT * FROM %s.links_rev WHERE tenant = 'acme' AND to_trace = MD5('12000')", "links_rev"},
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
		t.Logf("%s: reads %d of %d rows", name, read, all)
		if read == 0 || read > 2*4096 {
			t.Errorf("%s: reads %d rows of %d, want two granules of 4096 at most", name, read, all)
		}
	}
}
