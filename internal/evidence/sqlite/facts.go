package sqlite

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// factTables are the tables of facts; their rows begin with the same columns.
var factTables = []string{"decisions", "effects", "controls", "verdicts", "claims", "protocols", "extensions"}

const factColumns = "key, leaf, source, n, time_ns, task_id, "

// factInserts are the inserts into factTables. A fact that is there already stays.
var factInserts = [...]insertion{
	factInsert("decisions", "decision_id, tool_call_id, verdict, decided_by, scope, policy_id, policy_version, rule_id, enforced, raw"),
	factInsert("effects", "effect_id, stage, attempt, tool, tool_call_id, target, class, request_digest, result_digest, idempotency_key, receipt_id, reported_by"),
	factInsert("controls", "control_id, kind, layer, phase"),
	factInsert("verdicts", "subject_kind, subject_id, verifier, version, kind, verdict, metric, score, scale_min, scale_max, gate, comparable, missing"),
	factInsert("claims", "state, claimed_by, basis, missing"),
	factInsert("protocols", "name, peer, requested, negotiated, degraded, external_task, external_state, error_layer, failed"),
	factInsert("extensions", "kind, id, version, hash, origin, scope, decision, guard, fail_policy, tool_call_id"),
}

func factInsert(table, columns string) insertion { return insertInto(table, factColumns+columns, "") }

// factRows collects the facts of one batch, a flat list a table.
type factRows struct {
	decisions, effects, controls, verdicts, claims, protocols, extensions []any
	buf                                                                   []byte
}

// flat returns the lists in the order of factTables.
func (r *factRows) flat() [len(factInserts)]*[]any {
	return [...]*[]any{&r.decisions, &r.effects, &r.controls, &r.verdicts, &r.claims, &r.protocols, &r.extensions}
}

func count(f *evidence.Facts) int {
	return len(f.Decisions) + len(f.Effects) + len(f.Controls) + len(f.Verdicts) + len(f.Claims) + len(f.Protocols) + len(f.Extensions)
}

// add takes the facts that one span or record states, and returns their digest;
// source is its id, leaf the number of its leaf.
func (r *factRows) add(f *evidence.Facts, key, leaf int64, source []byte) (digest ledger.Digest) {
	if count(f) == 0 {
		return digest
	}
	var from [len(factInserts)]int
	for i, flat := range r.flat() {
		from[i] = len(*flat)
	}
	r.take(f, key, leaf, source)
	for i, flat := range r.flat() {
		for at := from[i]; at < len(*flat); at += factInserts[i].columns {
			digest = r.digest(digest, i, (*flat)[at+2:at+factInserts[i].columns])
		}
	}
	return digest
}

func (r *factRows) take(f *evidence.Facts, key, leaf int64, source []byte) {
	head := func(flat []any, n int, s *evidence.Source) []any {
		return append(flat, key, leaf, source, int64(n), s.Time, textOrNull(string(s.Task)))
	}
	texts := func(flat []any, list ...string) []any {
		for _, s := range list {
			flat = append(flat, textOrNull(s))
		}
		return flat
	}
	for n := range f.Decisions {
		d := &f.Decisions[n]
		r.decisions = texts(head(r.decisions, n, &d.Source), d.ID, d.ToolCallID, d.Verdict, d.DecidedBy, d.Scope,
			d.PolicyID, d.PolicyVersion, d.RuleID, d.Enforced, d.Raw)
	}
	for n := range f.Effects {
		e := &f.Effects[n]
		r.effects = texts(head(r.effects, n, &e.Source), e.EffectID, e.Stage)
		r.effects = append(r.effects, orNull(e.Attempt))
		r.effects = texts(r.effects, e.Tool, e.ToolCallID, e.Target, e.Class, e.RequestDigest, e.ResultDigest,
			e.IdempotencyKey, e.ReceiptID, e.ReportedBy)
	}
	for n := range f.Controls {
		c := &f.Controls[n]
		r.controls = texts(head(r.controls, n, &c.Source), c.ID, c.Kind, c.Layer, c.Phase)
	}
	for n := range f.Verdicts {
		v := &f.Verdicts[n]
		r.verdicts = texts(head(r.verdicts, n, &v.Source), v.SubjectKind, v.SubjectID, v.Verifier, v.Version, v.Kind, v.Verdict, v.Metric)
		r.verdicts = append(r.verdicts, doubleOrNull(v.Score), doubleOrNull(v.ScaleMin), doubleOrNull(v.ScaleMax),
			boolInt(v.Gate), boolInt(v.Comparable), textList(v.Missing))
	}
	for n := range f.Claims {
		c := &f.Claims[n]
		r.claims = texts(head(r.claims, n, &c.Source), c.State, c.By)
		r.claims = append(r.claims, textList(c.Basis), textList(c.Missing))
	}
	for n := range f.Protocols {
		p := &f.Protocols[n]
		r.protocols = texts(head(r.protocols, n, &p.Source), p.Name, p.Peer, p.Requested, p.Negotiated)
		r.protocols = texts(append(r.protocols, textList(p.Degraded)), p.ExternalTask, p.ExternalState, p.ErrorLayer)
		r.protocols = append(r.protocols, boolInt(p.Failed))
	}
	for n := range f.Extensions {
		e := &f.Extensions[n]
		r.extensions = texts(head(r.extensions, n, &e.Source), e.Kind, e.ID, e.Version, e.Hash, e.Origin, e.Scope, e.Decision)
		r.extensions = texts(append(r.extensions, boolInt(e.Guard)), e.FailPolicy, e.ToolCallID)
	}
}

func (r *factRows) flush(c *connection) error {
	for i, flat := range r.flat() {
		if err := c.insert(factInserts[i], *flat); err != nil {
			return err
		}
	}
	return nil
}

// deleteFacts removes what one span or record states.
func (c *connection) deleteFacts(key int64, source []byte) (n int64, err error) {
	for _, t := range factTables {
		deleted, err := c.exec("DELETE FROM "+t+" WHERE key = ? AND source = ?", key, source)
		if err != nil {
			return n, err
		}
		n += deleted
	}
	return n, nil
}

// digest adds a row of table i, without key and leaf, to the digest of the facts
// before it.
func (r *factRows) digest(before ledger.Digest, i int, columns []any) ledger.Digest {
	b := append(r.buf[:0], byte(i))
	for _, v := range columns {
		switch v := v.(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 2), math.Float64bits(v))
		case string:
			b = codec.AppendText(append(b, 3), v)
		case []byte:
			b = codec.AppendText(append(b, 4), string(v))
		}
	}
	r.buf = b
	return ledger.NextFact(before, b)
}

// stated reports whether facts of this source are there already.
func (c *connection) stated(f *evidence.Facts, key int64, source []byte) (bool, error) {
	for i, n := range [...]int{len(f.Decisions), len(f.Effects), len(f.Controls), len(f.Verdicts), len(f.Claims), len(f.Protocols), len(f.Extensions)} {
		if n == 0 {
			continue
		}
		var one int
		err := c.row("SELECT 1 FROM "+factTables[i]+" WHERE key = ? AND source = ?", []any{key, source}, &one)
		if !errors.Is(err, sql.ErrNoRows) {
			return err == nil, err
		}
	}
	return false, nil
}

func doubleOrNull(f *float64) any {
	if f == nil || *f != *f { // SQLite turns NaN into null itself
		return nil
	}
	return *f
}

// textList is a list in the encoding of attribute values, null if it is empty.
func textList(list []string) any {
	if len(list) == 0 {
		return nil
	}
	var e codec.Encoder
	items := make([]any, len(list))
	for i, s := range list {
		items[i] = s
	}
	b, _ := e.Value(nil, "", items) // a list of texts always encodes
	return b
}
