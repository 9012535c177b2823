package clickhouse

import (
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// termColumns are the columns of spans that hold terms; what has none is in
// attrs_text.
var termColumns = map[string]string{
	semconv.AppSessionID: "session_id", semconv.GenAIConversationID: "conversation_id", semconv.GenAIToolCallID: "tool_call_id",
	semconv.GenAIAgentName: "agent", semconv.AppHarnessName: "harness", semconv.GenAIToolName: "tool",
	semconv.AppEffectID: "effect_id", semconv.AppEffectIdempotencyKey: "idempotency_key", semconv.AppEffectReceiptID: "receipt_id",
	semconv.AppPermissionDecisionID: "decision_id",
}

// termFacts are the tables of facts whose columns of that name hold terms that events
// inside spans state.
var termFacts = map[evidence.TermKind]string{evidence.TermEffect: tableEffects, evidence.TermReceipt: tableEffects, evidence.TermDecision: tableDecisions}

// The key of a row of spans or facts, and that of a record: its trace, else its task.
const (
	keyOfSpan   = "tenant, toUInt8(0) AS kind, CAST(trace_id AS String) AS key"
	keyOfRecord = "tenant, toUInt8(trace_id = toFixedString('', 16)) AS kind, if(trace_id = toFixedString('', 16), task_id, CAST(trace_id AS String)) AS key"
)

// ofTenant is a condition on rows with an AND behind it, or nothing.
func ofTenant(q evidence.Query) string {
	if q.AllTenants {
		return ""
	}
	return "tenant = " + literal(q.Tenant) + " AND "
}

// stating selects the keys of rows that state a term. Conditions that one index serves
// are in one question, since an index is of no use where another one's column is asked
// for as well. Facts of records are in the tables of facts too, and say no more than
// their records. Spans and records are left out unless they are asked for. within is a
// condition that rows meet, "" for all of them.
func (c *client) stating(q evidence.Query, t evidence.Term, within string, spans, records bool) string {
	where := ofTenant(q)
	if within != "" {
		where += within + " AND "
	}
	text := literal(t.Text)
	var columns []string
	for _, key := range evidence.TermKeys[t.Kind] {
		if column := termColumns[key]; column != "" {
			columns = append(columns, column+" = "+text)
		}
	}
	stated := strings.Join(columns, " OR ")
	if len(columns) == 0 {
		stated = inAttrs(t.Kind, text)
	}
	var tables []string
	if spans {
		tables = append(tables, "spans")
	}
	if facts := termFacts[t.Kind]; facts != "" {
		tables = append(tables, facts)
	}
	var queries []string
	for _, table := range tables {
		queries = append(queries, fmt.Sprintf("SELECT %s FROM %s WHERE %s(%s)", keyOfSpan, c.layout.spread(table), where, stated))
	}
	if records {
		queries = append(queries, fmt.Sprintf("SELECT %s FROM %s WHERE %s(%s)", keyOfRecord, c.layout.spread("events"), where, inAttrs(t.Kind, text)))
	}
	return strings.Join(queries, " UNION ALL ")
}

// statingAny selects the kinds of terms, among some, as which spans or records state a text, with
// the keys of the rows.
func (c *client) statingAny(q evidence.Query, text string, among []evidence.TermKind, table, key string) string {
	where := []string{"has(mapValues(attrs_text), " + text + ")"}
	var kinds []string
	for _, kind := range among {
		stated := inAttrs(kind, text)
		for _, name := range evidence.TermKeys[kind] {
			if column := termColumns[name]; column != "" && table == "spans" {
				where = append(where, column+" = "+text)
				stated += " OR " + column + " = " + text
			}
		}
		kinds = append(kinds, fmt.Sprintf("if(%s, %s, '')", stated, quoteText(string(kind))))
	}
	return fmt.Sprintf("SELECT arrayJoin(arrayFilter(k -> k != '', [%s])) AS term, %s FROM %s WHERE %s(%s)",
		strings.Join(kinds, ", "), key, c.layout.spread(table), ofTenant(q), strings.Join(where, " OR "))
}

// inAttrs is the condition that attributes without a column state a text.
func inAttrs(kind evidence.TermKind, text string) string {
	var out []string
	for _, key := range evidence.TermKeys[kind] {
		out = append(out, "attrs_text["+literal(key)+"] = "+text)
	}
	return strings.Join(out, " OR ")
}
