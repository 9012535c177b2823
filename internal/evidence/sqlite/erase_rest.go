package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// eraseKeys is how many keys' facts are looked at in one step.
const eraseKeys = 2000

// facts takes facts whose record retention took before.
func (e *erasing) facts(c *connection) error {
	type place struct {
		key, time int64
		source    string
	}
	var gone []place
	seen := map[place]bool{}
	from := max(e.after, -1) // key 0 is that of no run
	e.after = from + eraseKeys
	var last int64
	if err := c.row("SELECT coalesce(max(id), 0) FROM run_keys", nil, &last); err != nil {
		return err
	}
	e.more = e.after < last
	for i, t := range factTables {
		into := factInserts[i]
		err := c.each("SELECT "+into.names+", coalesce((SELECT run FROM run_keys k WHERE k.id = f.key), 0) FROM "+t+
			" AS f WHERE key > ? AND key <= ? AND length(source) = 16", []any{from, e.after}, func(r *sql.Rows) error {
			row, err := scanColumns(r, into.columns+1)
			if err != nil {
				return err
			}
			key, _ := row[0].(int64)
			source, _ := row[2].([]byte)
			time, _ := row[4].(int64)
			run, _ := row[into.columns].(int64)
			p := place{key, time, string(source)}
			if !seen[p] && e.goes(run, mentionedIn(row[2:into.columns], e.what.Subject)) {
				seen[p], gone = true, append(gone, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, p := range gone {
		// In a dry run the record, if it is there, was counted with its facts.
		var one int
		err := c.row("SELECT 1 FROM events WHERE time_ns = ? AND record = ?", []any{p.time, []byte(p.source)}, &one)
		if errors.Is(err, sql.ErrNoRows) {
			err = e.factsOf(c, p.key, []byte(p.source))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func mentionedIn(columns []any, text string) bool {
	for _, v := range columns {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, text) {
				return true
			}
		case []byte:
			if bytes.Contains(v, []byte(text)) {
				return true
			}
		}
	}
	return false
}

// refused takes rows that were set aside; what could be encoded of them has its
// texts written out.
func (e *erasing) refused(c *connection) error {
	const names = "tenant, kind, trace, id, digest"
	var gone [][]any
	err := c.each("SELECT "+names+", reason, body, leaf FROM quarantine", nil, func(r *sql.Rows) error {
		row, err := scanColumns(r, 8)
		if err == nil && e.goes(0, mentionedIn(row, e.what.Subject)) {
			gone = append(gone, row)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range gone {
		e.total.Refused++
		if e.what.DryRun {
			continue
		}
		if _, err := c.exec("DELETE FROM quarantine WHERE ("+names+") = (?, ?, ?, ?, ?)", row[:5]...); err != nil {
			return err
		}
		e.took(0, row[7])
	}
	return nil
}

// rest takes what rows shared and no row uses any more: whatever mentioned the
// subject through it is gone.
func (e *erasing) rest(c *connection) error {
	type source struct {
		id     int64
		tenant string
	}
	var sources []source
	x := c.texts()
	err := c.each("SELECT id, tenant FROM sources", nil, func(r *sql.Rows) error {
		var s source
		err := r.Scan(&s.id, &s.tenant)
		sources = append(sources, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range sources {
		o, err := x.source(s.id)
		if err != nil {
			return err
		}
		row := evidence.Record{Tenant: s.tenant, Service: o.service, ServiceVersion: o.serviceVersion, Scope: o.scope,
			ScopeVersion: o.scopeVersion, Resource: o.resource}
		if !row.Mentions(e.what.Subject) {
			continue
		}
		if _, err := c.exec("DELETE FROM sources WHERE id = ?", s.id); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"DELETE FROM names WHERE instr(name, ?1) > 0",
		"DELETE FROM tasks WHERE instr(concat_ws(char(0), task_id, parent_id, root_id, goal_digest, agent, harness, harness_version), ?1) > 0",
		"UPDATE runs SET size = size - (SELECT count(*) FROM run_keys k WHERE k.run = runs.id AND k.kind = 1 AND instr(k.key, CAST(?1 AS BLOB)) > 0) " +
			"WHERE id IN (SELECT run FROM run_keys WHERE kind = 1 AND instr(key, CAST(?1 AS BLOB)) > 0)",
		"DELETE FROM run_keys WHERE kind = 1 AND instr(key, CAST(?1 AS BLOB)) > 0",
	} {
		if _, err := c.exec(statement, e.what.Subject); err != nil {
			return err
		}
	}
	c.next = nil // names and sources that are remembered may be among those deleted
	return c.giveBack()
}
