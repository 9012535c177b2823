package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// load reads all of some runs, each given by its keys. Rows that are there twice,
// since the server has not merged its parts yet, are taken once; statements of one
// span are merged. Spans are ordered by start, records by time, then by their ids.
func (r *Reader) load(ctx context.Context, tenant string, groups ...[]keyName) ([]evidence.Run, error) {
	runs, _, err := r.loadVersions(ctx, tenant, groups...)
	return runs, err
}

// loadVersions is load, with the versions of the rows that were read.
func (r *Reader) loadVersions(ctx context.Context, tenant string, groups ...[]keyName) ([]evidence.Run, []runVersion, error) {
	in := membershipOf(groups)
	tallies := map[string]tally{"spans": {}, "events": {}, "links": {}}
	// What does not wait for another answer is asked at the same time.
	var statements []*statement
	var links []linkRow
	var records []foundRecord
	err := asOne(ctx,
		func(ctx context.Context) (err error) {
			statements, err = r.statements(ctx, tenant, in, tallies["spans"])
			return err
		},
		func(ctx context.Context) (err error) {
			links, err = r.links(ctx, tenant, maps.Keys(in.traces))
			return err
		},
		func(ctx context.Context) (err error) {
			records, err = r.records(ctx, tenant, in, tallies["events"])
			return err
		},
	)
	if err != nil {
		return nil, nil, err
	}
	for i := range links {
		tallies["links"].add(links[i].trace, links[i].statement+uint64(links[i].n), uint64(links[i].n))
	}
	hangLinks(links, statements)
	if err := r.fillSources(ctx, tenant, statements, records); err != nil {
		return nil, nil, err
	}
	byRun := make([][]*statement, len(groups))
	for _, s := range statements {
		byRun[s.run] = append(byRun[s.run], s)
	}
	runs := make([]evidence.Run, len(groups))
	for i := range runs {
		runs[i] = evidence.Run{Tenant: tenant, Spans: merged(byRun[i])}
	}
	for i := range records {
		run := &runs[records[i].run]
		run.Records = append(run.Records, records[i].record)
	}
	for i := range runs {
		slices.SortFunc(runs[i].Spans, func(a, b evidence.Span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), compareSteps(a.ID, b.ID))
		})
		slices.SortFunc(runs[i].Records, func(a, b evidence.Record) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), bytes.Compare(a.ID[:], b.ID[:]))
		})
	}
	return runs, versionsOf(groups, in, tallies), nil
}

// asOne runs functions at the same time and returns the first error, which
// ends the others.
func asOne(ctx context.Context, all ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for _, f := range all {
		running.Go(func() {
			if err := f(ctx); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// statement is a row of spans that was read.
type statement struct {
	run    int    // which of those that are read
	task   string // that the row is ordered by
	span   evidence.Span
	id     uint64
	source uint64
	links  int
}

const selectStatements = `SELECT task_id, start_ns, trace_id, span_id, statement, duration_ns, parent_id, source, name, kind, status, status_message,
  trace_state, service, links, task_stated, parent_task_id, stated_root_task_id, goal_digest, harness, harness_version, operation, agent, tool,
  tool_call_id, model, provider, conversation_id, session_id, error_type, effect_class,
  decision_id, decision, decided_by, decision_scope, policy_id, policy_version, rule_id, enforced, decision_raw, effect_id, effect_stage, effect_target, request_digest,
  result_digest, idempotency_key, receipt_id, reported_by, input_tokens, output_tokens, attempt, effect_attempt,
  attrs_text, attrs_int, attrs_double, attrs_bool, attrs_list, attrs_other, events FROM %s WHERE tenant = %s AND task_id IN (%s)`

func (r *Reader) statements(ctx context.Context, tenant string, in *membership, t tally) ([]*statement, error) {
	var out []*statement
	seen := map[uint64]bool{}
	for _, list := range lists(in.names) {
		err := r.c.each(ctx, fmt.Sprintf(selectStatements, r.c.layout.spread("spans"), literal(tenant), list), func(scan func(...any) error) error {
			s, err := scanStatement(scan)
			if err != nil {
				return err
			}
			t.add(s.task, s.id, 0)
			if run, ok := in.spanRun(s.span.ID.Trace, s.task); ok && !seen[s.id] {
				seen[s.id] = true
				s.run, s.span.Tenant = run, tenant
				out = append(out, s)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func scanStatement(scan func(...any) error) (*statement, error) {
	s := &statement{}
	sp := &s.span
	var trace, id, parent, other, events string
	var duration int64
	var links uint32
	var stated bool
	var texts [len(promotedTexts)]string
	var ints [len(promotedInts)]*int64
	var m typedMaps
	dest := []any{&s.task, &sp.Start, &trace, &id, &s.id, &duration, &parent, &s.source, &sp.Name, &sp.Kind, &sp.Status, &sp.StatusMessage,
		&sp.TraceState, &sp.Service, &links, &stated}
	for i := range texts {
		dest = append(dest, &texts[i])
	}
	for i := range ints {
		dest = append(dest, &ints[i])
	}
	dest = append(dest, &m.text, &m.ints, &m.doubles, &m.bools, &m.lists, &other, &events)
	if err := scan(dest...); err != nil {
		return nil, err
	}
	copy(sp.ID.Trace[:], trace)
	copy(sp.ID.Span[:], id)
	copy(sp.Parent[:], parent)
	sp.End = sp.Start + duration
	s.links = int(links)
	var err error
	if sp.Attrs, err = restore(m.text, m.ints, m.doubles, m.bools, m.lists, other); err != nil {
		return s, err
	}
	set := func(key string, v any) {
		if sp.Attrs == nil {
			sp.Attrs = evidence.Attrs{}
		}
		sp.Attrs[key] = v
	}
	if stated {
		set(semconv.AppTaskID, s.task)
	}
	for i, key := range promotedTexts {
		if texts[i] != "" {
			set(key, texts[i])
		}
	}
	for i, key := range promotedInts {
		if ints[i] != nil {
			set(key, *ints[i])
		}
	}
	d := codec.Decoder{Name: noNames}
	sp.Events, err = d.Events([]byte(events), sp.Start)
	return s, err
}

// typedMaps are the typed columns of attributes.
type typedMaps struct {
	text    map[string]string
	ints    map[string]int64
	doubles map[string]float64
	bools   map[string]bool
	lists   map[string][]string
}

// linkRow is a row of links that was read: the n-th link of a statement.
type linkRow struct {
	trace     string
	statement uint64
	n         uint32
	link      evidence.Link
}

// links reads the links of all statements in some traces.
func (r *Reader) links(ctx context.Context, tenant string, traces iter.Seq[evidence.TraceID]) (out []linkRow, err error) {
	var names []string
	for trace := range traces {
		names = append(names, literal(trace[:]))
	}
	slices.Sort(names)
	for _, list := range lists(names) {
		query := fmt.Sprintf("SELECT trace_id, statement, n, to_trace, to_span, relation, stated, trace_state, attrs FROM %s WHERE tenant = %s AND trace_id IN (%s)",
			r.c.layout.spread("links"), literal(tenant), list)
		err := r.c.each(ctx, query, func(scan func(...any) error) error {
			var row linkRow
			l := &row.link
			var trace, span, attrs string
			var stated bool
			if err := scan(&row.trace, &row.statement, &row.n, &trace, &span, &l.Relation, &stated, &l.TraceState, &attrs); err != nil {
				return err
			}
			copy(l.To.Trace[:], trace)
			copy(l.To.Span[:], span)
			d := codec.Decoder{Name: noNames}
			m, err := d.Attrs([]byte(attrs))
			if err != nil {
				return err
			}
			if stated {
				if m == nil {
					m = map[string]any{}
				}
				m[semconv.AppLinkRelation] = l.Relation
			}
			if len(m) > 0 {
				l.Attrs = m
			}
			out = append(out, row)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// hangLinks puts links at the statements they are of. A link of a statement that is
// not there yet is left out.
func hangLinks(links []linkRow, statements []*statement) {
	byID := map[uint64]*statement{}
	for _, s := range statements {
		if s.links > 0 {
			s.span.Links = make([]evidence.Link, s.links)
			byID[s.id] = s
		}
	}
	for i := range links {
		if s := byID[links[i].statement]; s != nil && int(links[i].n) < s.links {
			s.span.Links[links[i].n] = links[i].link
		}
	}
}

// merged makes one span of all statements of it.
func merged(statements []*statement) []evidence.Span {
	byID := map[evidence.StepID][]evidence.Span{}
	var order []evidence.StepID
	for _, s := range statements {
		if _, there := byID[s.span.ID]; !there {
			order = append(order, s.span.ID)
		}
		byID[s.span.ID] = append(byID[s.span.ID], s.span)
	}
	out := make([]evidence.Span, 0, len(order))
	for _, id := range order {
		out = append(out, evidence.MergeStatements(byID[id]))
	}
	return out
}

const selectRecords = `SELECT time_ns, record, trace_id, span_id, observed_ns, source, service, event, severity, body_text, body,
  attrs_text, attrs_int, attrs_double, attrs_bool, attrs_list, attrs_other FROM %s WHERE tenant = %s AND task_id IN (%s)`

// foundRecord is a row of events that was read.
type foundRecord struct {
	run    int // which of those that are read
	record evidence.Record
	source uint64
}

func (r *Reader) records(ctx context.Context, tenant string, in *membership, t tally) (out []foundRecord, err error) {
	seen := map[evidence.RecordID]bool{}
	for _, list := range lists(in.names) {
		err := r.c.each(ctx, fmt.Sprintf(selectRecords, r.c.layout.spread("events"), literal(tenant), list), func(scan func(...any) error) error {
			rec, source, err := scanRecord(scan)
			if err != nil {
				return err
			}
			rec.Tenant = tenant
			t.add(taskOfRecord(&rec), binary.LittleEndian.Uint64(rec.ID[:]), binary.LittleEndian.Uint64(rec.ID[8:]))
			if run, ok := in.recordRun(&rec); ok && !seen[rec.ID] {
				seen[rec.ID] = true
				out = append(out, foundRecord{run, rec, source})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scanRecord reads the columns of selectRecords. With an error of the codec the
// record's id is right.
func scanRecord(scan func(...any) error) (rec evidence.Record, source uint64, err error) {
	var id, trace, span, text, body, other string
	var m typedMaps
	err = scan(&rec.Time, &id, &trace, &span, &rec.Observed, &source, &rec.Service, &rec.Event, &rec.Severity, &text, &body,
		&m.text, &m.ints, &m.doubles, &m.bools, &m.lists, &other)
	if err != nil {
		return rec, 0, err
	}
	copy(rec.ID[:], id)
	copy(rec.Step.Trace[:], trace)
	copy(rec.Step.Span[:], span)
	if rec.Attrs, err = restore(m.text, m.ints, m.doubles, m.bools, m.lists, other); err != nil {
		return rec, source, err
	}
	if text != "" {
		rec.Body = text
		return rec, source, nil
	}
	d := codec.Decoder{Name: noNames}
	rec.Body, err = d.One([]byte(body))
	return rec, source, err
}
