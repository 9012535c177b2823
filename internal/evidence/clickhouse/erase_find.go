package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// mentionedIn is the SQL condition that any text of a row of a table holds the
// subject: in a key, a value, or bytes of package codec, which writes texts out.
// Columns that are left out say nothing of the row itself.
func mentionedIn(table object, subject string, without ...string) string {
	needle := literal(subject)
	var any []string
	for _, c := range table.columns {
		if c.computed || slices.Contains(without, c.name) {
			continue
		}
		if condition := holds(c.kind, c.name, needle); condition != "" {
			any = append(any, condition)
		}
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// holds is the condition for one column, "" for a type without texts.
func holds(kind, name, needle string) string {
	switch {
	case kind == "String" || kind == "LowCardinality(String)":
		return "position(" + name + ", " + needle + ") > 0"
	case strings.HasPrefix(kind, "Array("):
		inner := holds(strings.TrimSuffix(strings.TrimPrefix(kind, "Array("), ")"), "x", needle)
		if inner == "" {
			return ""
		}
		return "arrayExists(x -> " + inner + ", " + name + ")"
	case strings.HasPrefix(kind, "Map("):
		keys, values, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(kind, "Map("), ")"), ", ")
		var any []string
		for _, side := range []struct{ kind, of string }{{keys, "mapKeys"}, {values, "mapValues"}} {
			if inner := holds(side.kind, "e", needle); inner != "" {
				any = append(any, "arrayExists(e -> "+inner+", "+side.of+"("+name+"))")
			}
		}
		return strings.Join(any, " OR ")
	}
	return ""
}

// victims are the rows of one tenant that an erasure takes.
type victims struct {
	spans   map[evidence.StepID]bool
	links   map[evidence.StepID]bool // spans of which only links are there
	records map[evidence.RecordID]bool
	facts   map[[2]string]bool // trace and source of facts whose row is not there
	tasks   map[string]bool    // task_id of facts that all go
	keys    map[keyName]bool   // that the spans and records hang on
}

// find looks for all rows of a tenant that speak of the subject. SQL finds what
// may, and Mentions decides.
func (e *erasing) find(ctx context.Context, tenant string) (*victims, error) {
	v := &victims{spans: map[evidence.StepID]bool{}, links: map[evidence.StepID]bool{}, records: map[evidence.RecordID]bool{},
		facts: map[[2]string]bool{}, tasks: map[string]bool{}, keys: map[keyName]bool{}}
	for _, step := range []func(context.Context, string, *victims) error{e.findSpans, e.findRecords, e.findLinks, e.findFacts} {
		if err := step(ctx, tenant, v); err != nil {
			return nil, err
		}
	}
	if !e.what.WholeRuns || len(v.keys) == 0 {
		return v, nil
	}
	return v, e.findRuns(ctx, tenant, v)
}

func (e *erasing) of(tenant, table, condition string) string {
	return fmt.Sprintf(" FROM %s WHERE tenant = %s AND %s", e.c.layout.spread(table), literal(tenant), condition)
}

// within selects a number of the rows of another table that mention the subject.
func (e *erasing) within(column, tenant, table string) string {
	return column + " GLOBAL IN (SELECT " + column + e.of(tenant, table, e.mention(table)) + ")"
}

func (e *erasing) mention(table string) string {
	return mentionedIn(e.tables[table], e.what.Subject, "root_task_id")
}

func (e *erasing) findSpans(ctx context.Context, tenant string, v *victims) error {
	head, _, _ := strings.Cut(selectStatements, " FROM %s")
	where := "(" + e.mention("spans") + " OR " + e.within("source", tenant, "sources") + " OR " + e.within("statement", tenant, "links") + ")"
	var found []*statement
	take := func() error {
		traces := map[evidence.TraceID]bool{}
		for _, s := range found {
			if s.links > 0 {
				traces[s.span.ID.Trace] = true
			}
		}
		links, err := e.reader.links(ctx, tenant, maps.Keys(traces))
		if err != nil {
			return err
		}
		hangLinks(links, found)
		if err := e.reader.fillSources(ctx, tenant, found, nil); err != nil {
			return err
		}
		for _, s := range found {
			if s.span.Mentions(e.what.Subject) {
				v.spans[s.span.ID] = true
				v.keys[keyName{tenant, keyTrace, string(s.span.ID.Trace[:])}] = true
			}
		}
		found = found[:0]
		return nil
	}
	err := e.c.each(ctx, head+e.of(tenant, "spans", where), func(scan func(...any) error) error {
		s, err := scanStatement(scan)
		if err != nil {
			return err
		}
		s.span.Tenant = tenant
		if found = append(found, s); len(found) < eraseRows {
			return nil
		}
		return take()
	})
	if err != nil {
		return err
	}
	return take()
}

func (e *erasing) findRecords(ctx context.Context, tenant string, v *victims) error {
	head, _, _ := strings.Cut(selectRecords, " FROM %s")
	where := "(" + e.mention("events") + " OR " + e.within("source", tenant, "sources") + ")"
	return e.c.each(ctx, head+e.of(tenant, "events", where), func(scan func(...any) error) error {
		rec, source, err := scanRecord(scan)
		if err != nil {
			return err
		}
		if err := e.reader.findSources(ctx, tenant, []uint64{source}); err != nil {
			return err
		}
		rec.Tenant = tenant
		if src := e.reader.source(tenant, source); src != nil {
			rec.ServiceVersion, rec.Scope, rec.ScopeVersion, rec.Resource = src.serviceVersion, src.scope, src.scopeVersion, src.resource
		}
		if !rec.Mentions(e.what.Subject) {
			return nil
		}
		v.records[rec.ID] = true
		if rec.Step.Trace != (evidence.TraceID{}) {
			v.keys[keyName{tenant, keyTrace, string(rec.Step.Trace[:])}] = true
			return nil
		}
		for _, key := range taskKeys {
			if id := rec.Attrs.Str(key); id != "" {
				v.keys[keyName{tenant, keyTask, clipped(id)}] = true
				break
			}
		}
		return nil
	})
}

// findLinks takes links that an erasure which broke off has left.
func (e *erasing) findLinks(ctx context.Context, tenant string, v *victims) error {
	return e.c.each(ctx, "SELECT DISTINCT trace_id, span_id"+e.of(tenant, "links", e.mention("links")), func(scan func(...any) error) error {
		var trace, span string
		err := scan(&trace, &span)
		var id evidence.StepID
		copy(id.Trace[:], trace)
		copy(id.Span[:], span)
		if !v.spans[id] {
			v.links[id] = true
		}
		return err
	})
}

// findFacts takes facts of rows that retention took before.
func (e *erasing) findFacts(ctx context.Context, tenant string, v *victims) error {
	for _, t := range factTables {
		err := e.c.each(ctx, "SELECT DISTINCT trace_id, source"+e.of(tenant, t, e.mention(t)), func(scan func(...any) error) error {
			var place [2]string
			err := scan(&place[0], &place[1])
			v.facts[place] = true
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findRuns adds all other rows of the runs.
func (e *erasing) findRuns(ctx context.Context, tenant string, v *victims) error {
	seeds := make([]keyName, 0, len(v.keys))
	for k := range v.keys {
		seeds = append(seeds, k)
	}
	slices.SortFunc(seeds, keyName.compare)
	walk, err := e.c.walk(ctx, tenant, seeds)
	if err != nil {
		return err
	}
	for _, group := range walk.groups() {
		runs, err := e.reader.load(ctx, tenant, group)
		if err != nil {
			return err
		}
		run := &runs[0]
		for i := range run.Spans {
			v.spans[run.Spans[i].ID] = true
		}
		for i := range run.Records {
			v.records[run.Records[i].ID] = true
		}
		for _, k := range group {
			v.tasks[k.text()] = true
		}
	}
	return nil
}
