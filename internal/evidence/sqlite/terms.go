package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// termHash is how a term stands in the table.
func termHash(t evidence.Term) int64 {
	sum := sha256.Sum256(append(append([]byte(t.Kind), 0), t.Text...))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// term_hash(kind, text) is termHash for migrations, which make terms out of rows.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("term_hash", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		kind, _ := args[0].(string)
		text, _ := args[1].(string)
		return termHash(evidence.Term{Kind: evidence.TermKind(kind), Text: text}), nil
	})
}

// termSet collects the terms of one batch, each once a key.
type termSet struct {
	hashes map[evidence.Term]int64
	rows   map[[2]int64]bool
}

// add takes the terms that a row of a key states; each is its EachTerm.
func (s *termSet) add(each func(yield func(evidence.Term)), key int64) {
	if key == 0 {
		return
	}
	each(func(t evidence.Term) {
		hash, known := s.hashes[t]
		if !known {
			if s.hashes == nil {
				s.hashes, s.rows = map[evidence.Term]int64{}, map[[2]int64]bool{}
			}
			hash = termHash(t)
			s.hashes[t] = hash
		}
		s.rows[[2]int64{hash, key}] = true
	})
}

var insertTerms = insertInto("terms", "term, key", " ON CONFLICT DO NOTHING")

func (s *termSet) flush(c *connection) error {
	rows := slices.SortedFunc(maps.Keys(s.rows), func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	flat := make([]any, 0, 2*len(rows))
	for _, r := range rows {
		flat = append(flat, r[0], r[1])
	}
	return c.insert(insertTerms, flat)
}

// slicesOfTerms is how many steps a walk over the table takes: hashes are spread
// evenly, so each has as many rows as the others.
const slicesOfTerms = 256

// terms takes what leads to keys that are gone, a slice of the table a step.
func (p *pruning) terms(c *connection) error {
	const width = 1 << 56
	first := int64(-1<<63) + p.slice*width
	if _, err := c.exec("DELETE FROM terms WHERE term BETWEEN ? AND ? AND key NOT IN (SELECT id FROM run_keys)", first, first+width-1); err != nil {
		return err
	}
	p.slice++
	p.more = p.slice < slicesOfTerms
	return nil
}

// terms forgets what the rows that went stated: the terms of all keys that were
// touched are made again from what is left of them.
func (e *erasing) terms(c *connection) error {
	keys := slices.Sorted(maps.Keys(e.touched))
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	if _, err := c.exec("DELETE FROM terms WHERE key IN (SELECT value FROM json_each(?))", string(list)); err != nil {
		return err
	}
	var left termSet
	x := c.texts()
	for _, key := range keys {
		err := c.each("SELECT "+spanColumns+" FROM spans WHERE key = ?", []any{key}, func(r *sql.Rows) error {
			row, err := scanColumns(r, insertSpans.columns)
			if err != nil {
				return err
			}
			sp, err := x.span("", evidence.TraceID{}, encodedSpan{row: row})
			left.add(sp.EachTerm, key)
			return err
		})
		if err == nil {
			err = c.each("SELECT "+eventColumns+" FROM events WHERE key = ?", []any{key}, func(r *sql.Rows) error {
				row, err := scanColumns(r, insertEvents.columns)
				if err != nil {
					return err
				}
				rec, err := x.record("", evidence.TraceID{}, row)
				left.add(rec.EachTerm, key)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	return left.flush(c)
}

// Count counts the runs that state a text, by kind.
func (r *Reader) Count(ctx context.Context, q evidence.Query, text string, most int) (map[evidence.TermKind]int, error) {
	kinds := evidence.TermKinds()
	var marks []string
	var hashes []any
	for _, kind := range kinds {
		marks, hashes = append(marks, "?"), append(hashes, termHash(evidence.Term{Kind: kind, Text: text}))
	}
	var stated []evidence.TermKind
	err := r.view(ctx, func(v *view) error {
		return v.each("SELECT DISTINCT term FROM terms WHERE term IN ("+strings.Join(marks, ", ")+")", 1, func(row []any) error {
			stated = append(stated, kinds[slices.Index(hashes, row[0])])
			return nil
		}, hashes...)
	})
	out := map[evidence.TermKind]int{}
	known := func(string, evidence.Place, evidence.Version) bool { return true }
	for _, kind := range stated {
		if err != nil {
			break
		}
		p := evidence.PageQuery{Query: q, Term: evidence.Term{Kind: kind, Text: text}, Want: most, Have: known}
		p.Since = time.Time{}
		err = r.Page(ctx, p, func(evidence.Run, evidence.Place) bool { out[kind]++; return out[kind] < most })
	}
	return out, err
}

// commonTerm is from how many keys on a term's runs are not all looked up first.
var commonTerm = 1000

// Page yields runs with their places, newest first. As with Recent, yield should
// not wait for people.
func (r *Reader) Page(ctx context.Context, q evidence.PageQuery, yield func(evidence.Run, evidence.Place) bool) error {
	since := int64(-1 << 63)
	if !q.Since.IsZero() {
		since = q.Since.UnixNano()
	}
	latest, run, err := placeOf(q.After)
	if err != nil {
		return err
	}
	statement, args := pageRecent, []any{since, latest, run, q.AllTenants, q.Tenant}
	searching := q.Term != evidence.Term{}
	if searching {
		statement, args = pageTerm, append(args, termHash(q.Term))
	} else if !q.AllTenants {
		statement = pageTenant
	}
	err = r.view(ctx, func(v *view) error {
		if searching {
			common := 0
			if err := v.conn.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM terms WHERE term = ? LIMIT ?)", termHash(q.Term), commonTerm).Scan(&common); err != nil {
				return err
			}
			if common == commonTerm {
				statement = pageCommon
			}
		}
		return v.each(statement, 3, func(row []any) error {
			number, _ := row[0].(int64)
			tenant, _ := row[1].(string)
			latest, _ := row[2].(int64)
			at := placeAt(latest, number)
			if q.Have != nil {
				version, err := v.version(number)
				if err != nil {
					return err
				}
				if q.Have(tenant, at, version) {
					if !yield(evidence.Run{Tenant: tenant}, at) {
						return errStop
					}
					return nil
				}
			}
			run, err := v.run(number, tenant)
			if err == nil && (!searching || run.States(q.Term)) && !yield(run, at) {
				err = errStop
			}
			return err
		}, args...)
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}
