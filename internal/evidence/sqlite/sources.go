package sqlite

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"reflect"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// sourceRow is a row of sources.
type sourceRow struct {
	id, latest int64
	columns    []any // to be inserted if it is new
	moved      bool
}

// origin is what names a source.
type origin struct {
	tenant, service, serviceVersion, scope, scopeVersion string
	resource                                             evidence.Attrs
}

// originKey is an origin inside one batch: rows of one resource share its map.
type originKey struct {
	tenant, service, serviceVersion, scope, scopeVersion string
	resource                                             uintptr
}

// maxSources bounds what is remembered between transactions.
const maxSources = 4096

// sourceSet finds the sources of one batch.
type sourceSet struct {
	c     *connection
	known map[originKey]*sourceRow
	used  map[*sourceRow]bool
}

func (c *connection) sourceSet() *sourceSet {
	if len(c.sources) > maxSources {
		c.sources = map[[16]byte]*sourceRow{}
	}
	return &sourceSet{c: c, known: map[originKey]*sourceRow{}, used: map[*sourceRow]bool{}}
}

// id returns the number of a source; age is the age of the row that has it.
func (s *sourceSet) id(o origin, age int64) (int64, error) {
	key := originKey{o.tenant, o.service, o.serviceVersion, o.scope, o.scopeVersion, reflect.ValueOf(o.resource).Pointer()}
	r := s.known[key]
	if r == nil {
		var err error
		if r, err = s.find(o); err != nil {
			return 0, err
		}
		s.known[key] = r
		s.used[r] = true
	}
	if r.latest < age {
		// The names in the resource must live as long as the source does.
		if _, err := s.encode(o); err != nil {
			return 0, err
		}
		r.latest, r.moved = endOfDay(age), true
	}
	return r.id, nil
}

func (s *sourceSet) encode(o origin) (any, error) {
	if len(o.resource) == 0 {
		return nil, nil
	}
	e := codec.Encoder{Names: s.c.names}
	b, err := e.Attrs(nil, o.resource, nil)
	return b, err
}

func (s *sourceSet) find(o origin) (*sourceRow, error) {
	digest, err := o.digest()
	if err != nil {
		return nil, err
	}
	if r := s.c.sources[digest]; r != nil {
		return r, nil
	}
	r := &sourceRow{}
	err = s.c.row("SELECT id, latest FROM sources WHERE digest = ?", []any{digest[:]}, &r.id, &r.latest)
	if errors.Is(err, sql.ErrNoRows) {
		resource, err := s.encode(o)
		if err != nil {
			return nil, err
		}
		r.id = s.c.number("sources")
		r.columns = []any{r.id, digest[:], o.tenant, textOrNull(o.service), textOrNull(o.serviceVersion),
			textOrNull(o.scope), textOrNull(o.scopeVersion), resource}
	} else if err != nil {
		return nil, err
	}
	s.c.sources[digest] = r
	return r, nil
}

var insertSources = insertInto("sources", "id, digest, tenant, service, service_version, scope, scope_version, resource, latest", "")

func (s *sourceSet) flush() error {
	for r := range s.used {
		switch {
		case r.columns != nil:
			if err := s.c.insert(insertSources, append(r.columns, r.latest)); err != nil {
				return err
			}
		case r.moved:
			if _, err := s.c.exec("UPDATE sources SET latest = ? WHERE id = ?", r.latest, r.id); err != nil {
				return err
			}
		}
		r.columns, r.moved = nil, false
	}
	return nil
}

func (o *origin) digest() ([16]byte, error) {
	var e codec.Encoder
	b := make([]byte, 0, 1024)
	for _, s := range []string{o.tenant, o.service, o.serviceVersion, o.scope, o.scopeVersion} {
		b = codec.AppendText(b, s)
	}
	b, err := e.Attrs(b, o.resource, nil)
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16]), err
}
