package sqlite

import (
	"database/sql"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Kinds of names.
const (
	nameKey   = 0
	nameValue = 1
)

// What is stored once is bounded, so that made-up keys cannot fill memory; what
// does not fit is written where it is used.
const (
	maxNames      = 8192 // of a kind
	maxNameLength = 128  // bytes
)

// nameRow is a row of names.
type nameRow struct {
	id, kind, latest int64
	name             string
}

// dictionary numbers attribute keys and often repeated values.
type dictionary struct {
	number       func(table string) int64
	keys, values map[string]*nameRow
	byID         map[int64]*nameRow
	fresh        []*nameRow // to be inserted
	older        []*nameRow // latest has moved
	age          int64      // of the row that is being written
}

func newDictionary(number func(string) int64) *dictionary {
	return &dictionary{number: number, keys: map[string]*nameRow{}, values: map[string]*nameRow{}, byID: map[int64]*nameRow{}}
}

func (d *dictionary) load(rows *sql.Rows) error {
	r := &nameRow{}
	if err := rows.Scan(&r.id, &r.kind, &r.name, &r.latest); err != nil {
		return err
	}
	d.of(r.kind)[r.name], d.byID[r.id] = r, r
	return nil
}

func (d *dictionary) of(kind int64) map[string]*nameRow {
	if kind == nameKey {
		return d.keys
	}
	return d.values
}

func (d *dictionary) Key(name string) (int64, bool) { return d.ref(nameKey, name) }

// value numbers the values of keys whose values repeat.
func (d *dictionary) Value(key, text string) (int64, bool) {
	if !repeating()[key] {
		return 0, false
	}
	return d.ref(nameValue, text)
}

// text returns what an ANY column holds: null, a number of names or the text.
func (d *dictionary) text(s string) any {
	if s == "" {
		return nil
	}
	if id, ok := d.ref(nameValue, s); ok {
		return id
	}
	return s
}

func (d *dictionary) ref(kind int64, name string) (int64, bool) {
	known := d.of(kind)
	r := known[name]
	if r == nil {
		if len(known) >= maxNames || len(name) > maxNameLength {
			return 0, false
		}
		r = &nameRow{id: d.number("names"), kind: kind, name: name, latest: endOfDay(d.age)}
		known[name], d.byID[r.id] = r, r
		d.fresh = append(d.fresh, r)
		return r.id, true
	}
	if r.latest < d.age {
		r.latest = endOfDay(d.age)
		d.older = append(d.older, r)
	}
	return r.id, true
}

var insertNames = insertInto("names", "id, kind, name, latest", "")

// flush writes what became known since the last time.
func (d *dictionary) flush(c *connection) error {
	flat := make([]any, 0, 4*len(d.fresh))
	for _, r := range d.fresh {
		flat = append(flat, r.id, r.kind, r.name, r.latest)
	}
	if err := c.insert(insertNames, flat); err != nil {
		return err
	}
	for _, r := range d.older {
		if _, err := c.exec("UPDATE names SET latest = ? WHERE id = ?", r.latest, r.id); err != nil {
			return err
		}
	}
	d.fresh, d.older = d.fresh[:0], d.older[:0]
	return nil
}

const day = int64(24 * time.Hour)

// endOfDay moves an age up to the end of its day, so that a name
// in constant use is written once a day and not once a batch.
func endOfDay(age int64) int64 {
	end := age - age%day + day
	if end < age { // the last day that an int64 knows
		return age
	}
	return end
}

// repeating are the keys with closed or small sets of values.
var repeating = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{
		semconv.GenAIProviderName: true, semconv.GenAIRequestModel: true, semconv.GenAIResponseModel: true,
		semconv.GenAIAgentVersion: true, semconv.GenAIToolType: true, semconv.GenAIOutputType: true,
		semconv.GenAIResponseFinishReasons: true, semconv.ErrorType: true, semconv.MCPMethodName: true,
		semconv.MCPProtocolVersion: true, semconv.AppHarnessName: true, semconv.AppHarnessVersion: true,
		semconv.AppMappingDialect: true, semconv.AppMappingSnapshot: true, semconv.AppMappingInferred: true,
		semconv.AppPermissionPolicyID: true, semconv.AppPermissionPolicyVersion: true,
		semconv.AppPermissionRuleID: true, semconv.AppPermissionRaw: true, semconv.AppVerifierName: true,
		semconv.AppVerifierVersion: true, semconv.AppRedactionBoundary: true, semconv.AppRedactionPolicy: true,
		semconv.AppProtocolVersionRequested: true, semconv.AppProtocolVersionNegotiated: true,
		semconv.AppToolCatalogHash: true, semconv.ServiceName: true, semconv.ServiceVersion: true,
	}
	for _, g := range semconv.App().Groups {
		for _, a := range g.Attributes {
			if len(a.Values) > 0 {
				keys[a.Key] = true
			}
		}
	}
	return keys
})
