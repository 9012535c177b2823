package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// factTables are the tables of facts; their rows begin with the same columns.
var factTables = []string{tableDecisions, tableEffects, "controls", "verdicts", "claims", "protocols", "extensions"}

// Of decisions and effects only those that an event states: those of a span's
// attributes are in columns of its row.
const (
	ofEvents       = "event_"
	tableDecisions = ofEvents + "decisions"
	tableEffects   = ofEvents + "effects"
)

// factName is what has all facts that a table of facts has a part of: a view, or
// the table itself.
func factName(table string) string { return strings.TrimPrefix(table, ofEvents) }

// factRow is a row of a table of facts without the columns all have.
type factRow struct {
	source *evidence.Source
	id     []byte // of the span or record that states it
	task   string
	seen   int64
	values []any
}

// factRows are the facts of one batch, by table.
type factRows map[string][]factRow

func (r *rows) facts() factRows {
	out := factRows{}
	for _, row := range r.spans {
		if row.facts != nil {
			out.add(row.facts, row.span.ID.Span[:], row.task, row.seen)
		}
	}
	for _, row := range r.records {
		out.add(&row.Facts, row.Record.Record.ID[:], row.task, row.seen)
	}
	return out
}

// add takes the facts that one span or record states; seen is its age where its
// own times cannot be true.
func (r factRows) add(f *evidence.Facts, id []byte, task string, seen int64) {
	put := func(table string, s *evidence.Source, values ...any) {
		r[table] = append(r[table], factRow{s, id, task, seen, values})
	}
	for i := range f.Decisions {
		d := &f.Decisions[i]
		put(tableDecisions, &d.Source, stated(d.ID, d.Derived), d.ToolCallID, d.Verdict, d.DecidedBy, d.Scope, d.PolicyID, d.PolicyVersion, d.RuleID, d.Enforced, d.Raw)
	}
	for i := range f.Effects {
		e := &f.Effects[i]
		put(tableEffects, &e.Source, stated(e.EffectID, e.Derived), e.Stage, e.Attempt, e.Tool, e.ToolCallID, e.Target, e.Class, e.RequestDigest, e.ResultDigest,
			e.IdempotencyKey, e.ReceiptID, e.ReportedBy)
	}
	for i := range f.Controls {
		c := &f.Controls[i]
		put("controls", &c.Source, stated(c.ID, c.Derived), c.Kind, c.Layer, c.Phase)
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		put("verdicts", &v.Source, v.SubjectKind, v.SubjectID, v.Verifier, v.Version, v.Kind, v.Verdict, v.Metric,
			v.Score, v.ScaleMin, v.ScaleMax, v.Gate, v.Comparable, list(v.Missing))
	}
	for i := range f.Claims {
		c := &f.Claims[i]
		put("claims", &c.Source, c.State, c.By, list(c.Basis), list(c.Missing))
	}
	for i := range f.Protocols {
		p := &f.Protocols[i]
		put("protocols", &p.Source, p.Name, p.Peer, p.Requested, p.Negotiated, list(p.Degraded), p.ExternalTask, p.ExternalState, p.ErrorLayer, p.Failed)
	}
	for i := range f.Extensions {
		e := &f.Extensions[i]
		put("extensions", &e.Source, e.Kind, e.ID, e.Version, e.Hash, e.Origin, e.Scope, e.Decision, e.Guard, e.FailPolicy, e.ToolCallID)
	}
}

// stated is an id unless we made it up.
func stated(id string, derived bool) string {
	if derived {
		return ""
	}
	return id
}

func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// digest is the identity of a fact inside its source: all it says but its time.
func (f *factRow) digest() uint32 {
	var b []byte
	for _, v := range f.values {
		switch v := v.(type) {
		case string:
			b = codec.AppendText(b, v)
		case int64:
			b = binary.AppendVarint(b, v)
		case bool:
			if v {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		case *float64:
			if v != nil {
				b = binary.BigEndian.AppendUint64(append(b, 1), math.Float64bits(*v))
			} else {
				b = append(b, 0)
			}
		case []string:
			b = binary.AppendUvarint(b, uint64(len(v)))
			for _, s := range v {
				b = codec.AppendText(b, s)
			}
		}
	}
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint32(sum[:])
}

// insertFact writes the facts of one table.
func (c *client) insertFact(ctx context.Context, table, token string, facts []factRow) error {
	return c.insert(ctx, table, token, func(a *appender) error {
		for i := range facts {
			f := &facts[i]
			a.put(f.source.Tenant, f.task, f.source.Step.Trace[:], f.id, f.digest(), uint64(max(f.source.Time, 0)), uint64(f.seen))
			a.put(f.values...)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}
