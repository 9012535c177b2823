package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// check compares the tables of the server with what they should be and names
// every object that is missing or differs; retains adds tables whose rows go
// before the retention of the settings is over.
func (c *client) check(ctx context.Context, retains bool) error {
	problems, err := c.problems(ctx)
	if err == nil && len(problems) == 0 && retains {
		problems, err = c.sooner(ctx)
	}
	if err != nil || len(problems) == 0 {
		return err
	}
	return fmt.Errorf("evidence store %s is not as this otelcol-agent needs it; let the collector repair it (create_schema: true), or change it:\n%w", c.place, errors.Join(problems...))
}

func (c *client) problems(ctx context.Context) (problems []error, err error) {
	p, err := c.progress(ctx)
	if err != nil {
		return nil, err
	}
	want, err := objects(c.known, c.layout)
	if err != nil {
		return nil, err
	}
	have, err := c.there(ctx)
	if err != nil {
		return nil, err
	}
	note := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if p.version < len(c.known) || !p.whole() {
		note("schema_migrations: schema %d, statement %d of %d; this otelcol-agent needs schema %d", p.version, p.step, p.steps, len(c.known))
	}
	for _, o := range want {
		h, ok := have[o.name]
		switch {
		case !ok && o.view:
			note("materialized view %s is missing", o.name)
		case !ok:
			note("table %s is missing", o.name)
		case !o.view:
			problems = append(problems, differences(o, h)...)
		}
	}
	return problems, nil
}

func differences(want, have object) (problems []error) {
	if want.engine != have.engine {
		problems = append(problems, fmt.Errorf("table %s: engine %s, want %s", want.name, have.engine, want.engine))
	}
	if spaceless(want.order) != spaceless(have.order) {
		problems = append(problems, fmt.Errorf("table %s: ordered by (%s), want (%s)", want.name, have.order, want.order))
	}
	kinds := map[string]string{}
	for _, c := range have.columns {
		kinds[c.name] = c.kind
	}
	for _, c := range want.columns {
		switch kind, ok := kinds[c.name]; {
		case !ok:
			problems = append(problems, fmt.Errorf("table %s: column %s is missing", want.name, c.name))
		case spaceless(kind) != spaceless(c.kind):
			problems = append(problems, fmt.Errorf("table %s: column %s is %s, want %s", want.name, c.name, kind, c.kind))
		}
	}
	return problems
}

func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

// there reads all tables of the database and their columns.
func (c *client) there(ctx context.Context) (map[string]object, error) {
	out := map[string]object{}
	database := quoteText(c.layout.database)
	err := c.each(ctx, "SELECT name, engine, sorting_key FROM system.tables WHERE database = "+database, func(scan func(...any) error) error {
		var o object
		err := scan(&o.name, &o.engine, &o.order)
		out[o.name] = o
		return err
	})
	if err != nil {
		return nil, err
	}
	err = c.each(ctx, "SELECT table, name, type FROM system.columns WHERE database = "+database+" ORDER BY table, position", func(scan func(...any) error) error {
		var table string
		var col column
		err := scan(&table, &col.name, &col.kind)
		o := out[table]
		o.columns = append(o.columns, col)
		out[table] = o
		return err
	})
	return out, err
}

// Check reports whether a store is as it should be.
func Check(ctx context.Context, s Settings) error {
	c, err := connect(&s)
	if err != nil {
		return err
	}
	defer c.close()
	return told(c.place, c.check(ctx, s.Retains))
}
