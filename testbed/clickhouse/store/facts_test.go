package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// deciding are spans that state decisions and effects in every way there is, and
// some that state none.
func deciding() (b evidence.Batch) {
	add := func(attrs evidence.Attrs, events ...evidence.SpanEvent) {
		n := len(b.Spans)
		attrs["app.task.id"], attrs["gen_ai.tool.call.id"] = "t", fmt.Sprint("call-", n)
		b.Spans = append(b.Spans, evidence.Span{Tenant: "acme", ID: stepID(7, n), Name: "s", Status: "unset", Start: clock.UnixNano(), End: clock.UnixNano() + 5, Attrs: attrs, Events: events})
	}
	for _, verdict := range []any{"allow", "deny", "ask", "modify", "abort", "made up", "", int64(1)} {
		add(evidence.Attrs{"app.permission.decision": verdict, "app.permission.decision.id": "d", "app.permission.decided_by": "user", "app.permission.scope": "once",
			"app.permission.policy.id": "p", "app.permission.policy.version": "1", "app.permission.rule.id": "r", "app.permission.enforced": "blocked", "app.permission.raw": "raw"})
	}
	for _, stage := range []string{"intent", "dispatched", "acked", "failed", "receipt", "verified", "compensated", "made up"} {
		add(evidence.Attrs{"app.effect.stage": stage, "app.effect.id": "e", "app.effect.attempt": int64(2), "gen_ai.tool.name": "Bash", "app.effect.target": "host", "app.tool.effect_class": "read",
			"app.effect.request.digest": "q", "app.effect.result.digest": "s", "app.effect.idempotency_key": "k", "app.effect.receipt.id": "i", "app.effect.reported_by": "effect"})
	}
	for _, class := range []string{"read", "write", "destructive", "external", "unknown", "none"} {
		add(evidence.Attrs{"app.tool.effect_class": class, "gen_ai.operation.name": "execute_tool", "app.effect.attempt": int64(-1)})
		add(evidence.Attrs{"app.tool.effect_class": class, "gen_ai.operation.name": "chat"})
	}
	add(evidence.Attrs{"app.effect.id": "alone"})
	b.Spans[len(b.Spans)-1].ID.Span = evidence.SpanID{1} // the rest are bytes too
	add(evidence.Attrs{}, evidence.SpanEvent{Name: "app.tool.decided", Time: clock.UnixNano() + 2, Attrs: evidence.Attrs{"app.permission.decision": "deny"}})
	add(evidence.Attrs{"app.permission.decision": "allow", "app.effect.stage": "acked"},
		evidence.SpanEvent{Name: "app.tool.decided", Time: clock.UnixNano() + 3, Attrs: evidence.Attrs{"app.permission.decision": "ask", "app.effect.stage": "intent", "app.effect.id": "other"}})
	return b
}

func unlessDerived(id string, derived bool) string {
	if derived {
		return ""
	}
	return id
}

// The views have what the spans and records state: decisions and effects in
// columns of a span beside those in rows of their own, each once.
func TestViewsOfFacts(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := d.Writer(t, now)
	b := deciding()
	more := agentSpans(0, 2)
	b.Spans, b.Records = append(b.Spans, more.Spans...), more.Records
	var decisions, effects []string
	for i := range b.Spans {
		s := &b.Spans[i]
		f := evidence.FactsOf(s)
		for _, x := range f.Decisions {
			decisions = append(decisions, fmt.Sprintln(s.ID.Span, x.Time, unlessDerived(x.ID, x.Derived), x.ToolCallID, x.Verdict, x.DecidedBy, x.Scope, x.PolicyID, x.PolicyVersion, x.RuleID, x.Enforced, x.Raw))
		}
		for _, x := range f.Effects {
			effects = append(effects, fmt.Sprintln(s.ID.Span, x.Time, unlessDerived(x.EffectID, x.Derived), x.Stage, x.Attempt, x.Tool, x.ToolCallID, x.Target, x.Class, x.RequestDigest, x.ResultDigest,
				x.IdempotencyKey, x.ReceiptID, x.ReportedBy))
		}
	}
	for i := range b.Records {
		r := &b.Records[i]
		r.ID = evidence.RecordIDOf(r)
		for _, x := range evidence.FactsOfRecord(r).Decisions {
			decisions = append(decisions, fmt.Sprintln(r.ID, x.Time, unlessDerived(x.ID, x.Derived), x.ToolCallID, x.Verdict, x.DecidedBy, x.Scope, x.PolicyID, x.PolicyVersion, x.RuleID, x.Enforced, x.Raw))
		}
	}
	if len(decisions) < 30 || len(effects) < 30 {
		t.Fatalf("%d decisions and %d effects", len(decisions), len(effects))
	}
	check := func(when string) {
		t.Helper()
		for view, c := range map[string]struct {
			columns string
			want    []string
		}{
			"decisions": {"decision_id, tool_call_id, verdict, decided_by, scope, policy_id, policy_version, rule_id, enforced, raw", decisions},
			"effects":   {"effect_id, stage, attempt, tool, tool_call_id, target, class, request_digest, result_digest, idempotency_key, receipt_id, reported_by", effects},
		} {
			got := told(t, d, "SELECT source, time_ns, "+c.columns+" FROM "+d.name+"."+view)
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				for i := range max(len(got), len(c.want)) {
					if i >= len(got) || i >= len(c.want) || got[i] != c.want[i] {
						t.Errorf("%s: %s: %d rows, want %d; the first that differ: %q, want %q", when, view, len(got), len(c.want), got[min(i, len(got)):], c.want[min(i, len(c.want)):])
						break
					}
				}
			}
		}
	}
	write(t, w, b)
	check("once")
	write(t, w, evidence.Batch{Spans: b.Spans}) // the same rows in another block
	check("twice")
	if n := count(t, d, "SELECT count() FROM "+d.name+".event_decisions FINAL"); n != 4 {
		t.Errorf("%d decisions have rows of their own, want those of two records and two events", n)
	}
	// A statement that adds to a span states its decision again.
	grown := b.Spans[0]
	grown.StatusMessage = "more is known"
	write(t, w, evidence.Batch{Spans: []evidence.Span{grown}})
	check("stated again")
	_ = w.Close()
}

// told reads rows of an id, a time and whatever else as texts.
func told(t *testing.T, d *database, query string) (out []string) {
	t.Helper()
	rows, err := d.conn(t).Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var source string
		var at uint64
		rest := make([]any, len(rows.Columns())-2)
		dest := []any{&source, &at}
		for i, kind := range rows.ColumnTypes()[2:] {
			rest[i] = new(string)
			if kind.DatabaseTypeName() == "Int64" {
				rest[i] = new(int64)
			}
			dest = append(dest, rest[i])
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		texts := []any{fmt.Sprintf("%x", source), int64(at)}
		for _, v := range rest {
			switch v := v.(type) {
			case *string:
				texts = append(texts, *v)
			case *int64:
				texts = append(texts, *v)
			}
		}
		out = append(out, fmt.Sprintln(texts...))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
