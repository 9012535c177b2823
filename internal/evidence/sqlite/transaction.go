package sqlite

import (
	"database/sql"
	"errors"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// transaction stores one batch, or one part of it, inside a transaction of
// SQLite's that may hold several.
type transaction struct {
	c       *connection
	now     int64 // 0 without a clock
	sources *sourceSet
	keys    *keySet
	encoder codec.Encoder
	arena   []byte   // encoded attributes, one after the other
	sorted  []string // keys of the attributes encoded last, all of them

	spans, links, events []any
	facts                factRows
	tasks                taskRows
	terms                termSet
	stored               int

	leaves []ledger.Leaf
	digest ledger.Digester
}

// clockSkew is how far a sender's clock may be ahead before its times are not
// believed.
const clockSkew = int64(24 * 3600 * 1e9)

// age returns how old a row counts for retention and order: its time, or the
// store's own, then also as seen, if the time cannot be true. Without a clock
// every time is believed.
func (t *transaction) age(time int64) (age, seen int64) {
	if t.now == 0 || time > 0 && time <= t.now+clockSkew {
		return time, 0
	}
	return t.now, t.now
}

// store writes the batch and bisects it as long as a row of it is refused. An
// error means that the transaction is to be rolled back.
func (c *connection) store(b *intake.Batch, now int64) (res evidence.WriteResult, err error) {
	for _, r := range b.Refused {
		if err := c.quarantine(r, now); err != nil {
			return res, err
		}
		res.Quarantined++
	}
	if b.Len() == 0 {
		return res, nil
	}
	if _, err := c.exec("SAVEPOINT batch"); err != nil {
		return res, err
	}
	t := &transaction{c: c, now: now, sources: c.sourceSet(), keys: c.keySet(), encoder: codec.Encoder{Names: c.names}}
	err = t.run(b)
	if err == nil {
		_, err = c.exec("RELEASE batch")
		res.Stored += t.stored
		return res, err
	}
	reason, bad := poison(err)
	if !bad {
		return res, err
	}
	for _, statement := range []string{"ROLLBACK TO batch", "RELEASE batch"} {
		if _, err := c.exec(statement); err != nil {
			return res, err
		}
	}
	if err := c.load(); err != nil { // numbers were handed out that are not used
		return res, err
	}
	parts := make([]*intake.Batch, 2)
	if b.Len() == 1 {
		parts = []*intake.Batch{b.Refuse(reason)}
	} else {
		parts[0], parts[1] = b.Split()
	}
	for _, part := range parts {
		r, err := c.store(part, now)
		if err != nil {
			return res, err
		}
		res.Stored += r.Stored
		res.Quarantined += r.Quarantined
	}
	return res, nil
}

func (t *transaction) run(b *intake.Batch) error {
	spanKeys := make([]*keyRow, len(b.Spans))
	for i := range b.Spans {
		spanKeys[i] = t.keys.span(&b.Spans[i].Span)
	}
	recordKeys := make([]*keyRow, len(b.Records))
	for i := range b.Records {
		recordKeys[i] = t.keys.record(&b.Records[i].Record)
	}
	if err := t.keys.resolve(); err != nil {
		return err
	}
	t.spans = make([]any, 0, len(b.Spans)*insertSpans.columns)
	t.leaves = make([]ledger.Leaf, 0, b.Len())
	for i := range b.Spans {
		if err := t.span(&b.Spans[i], spanKeys[i]); err != nil {
			return err
		}
	}
	for i := range b.Records {
		if err := t.record(&b.Records[i], recordKeys[i]); err != nil {
			return err
		}
	}
	return t.flush()
}

func (t *transaction) flush() error {
	if err := t.c.names.flush(t.c); err != nil {
		return err
	}
	if err := t.sources.flush(); err != nil {
		return err
	}
	if err := t.keys.flush(); err != nil {
		return err
	}
	for _, rows := range []struct {
		into insertion
		flat []any
	}{{insertSpans, t.spans}, {insertLinks, t.links}, {insertEvents, t.events}} {
		if err := t.c.insert(rows.into, rows.flat); err != nil {
			return err
		}
	}
	if err := t.facts.flush(t.c); err != nil {
		return err
	}
	if err := t.tasks.flush(t.c); err != nil {
		return err
	}
	if err := t.terms.flush(t.c); err != nil {
		return err
	}
	return t.c.appendLeaves(t.leaves)
}

// leaf is the number of the next leaf of this batch.
func (t *transaction) leaf() int64 { return t.c.log.tree.Size + int64(len(t.leaves)) }

// span stores a span, merged with what is there of it, unless that changes
// nothing.
func (t *transaction) span(row *intake.Span, key *keyRow) error {
	sp, facts := &row.Span, &row.Facts
	enc, err := t.encodeSpan(sp, count(facts), key.id)
	if err != nil {
		return err
	}
	instead := ledger.None
	if !key.fresh {
		old, there, err := t.find(key.id, sp.ID.Span)
		if err != nil || there && enc.same(old) {
			return err
		}
		if there {
			if leaf, logged := old.row[spanLeaf].(int64); logged {
				instead = leaf
			}
			merged, err := t.merge(old, sp)
			if err != nil {
				return err
			}
			sp, facts = &merged, new(evidence.FactsOf(&merged))
			if enc, err = t.encodeSpan(sp, count(facts), key.id); err != nil || enc.same(old) {
				return err
			}
			if _, _, err = t.c.deleteSpan(key.id, sp.ID.Span[:], old.row[spanFacts] != int64(0)); err != nil {
				return err
			}
		}
	}
	leaf := ledger.Leaf{Kind: ledger.Span, Instead: instead}
	copy(leaf.ID[:], sp.ID.Trace[:])
	copy(leaf.ID[len(sp.ID.Trace):], sp.ID.Span[:])
	if leaf.Content, err = t.digest.SpanInOrder(sp, t.sorted); err != nil {
		return err
	}
	enc.row[spanLeaf] = t.leaf()
	leaf.Facts = t.facts.add(facts, key.id, t.leaf(), sp.ID.Span[:])
	var seen int64
	leaf.Age, seen = t.age(max(sp.Start, sp.End))
	leaf.Arrival = seen != 0
	t.leaves = append(t.leaves, leaf)
	t.stored++
	t.spans = append(t.spans, enc.row...)
	t.links = append(t.links, enc.links...)
	t.tasks.add(t.keys, sp)
	t.terms.add(sp.EachTerm, key.id)
	key.stored(leaf.Age, true, true)
	return nil
}

func (t *transaction) merge(old encodedSpan, sp *evidence.Span) (evidence.Span, error) {
	stored, err := t.c.texts().span(sp.Tenant, sp.ID.Trace, old)
	return evidence.MergeSpan(stored, *sp), err
}

const (
	eventColumns = "time_ns, record, key, span_id, source, observed_ns, event, severity, body, attrs, seen, leaf"
	eventLeaf    = 11 // place of leaf
)

var insertEvents = insertInto("events", eventColumns, "")

// record stores a record unless it is there: its id says all that it says.
func (t *transaction) record(row *intake.Record, key *keyRow) error {
	r := &row.Record
	var there int
	err := t.c.row("SELECT 1 FROM events WHERE time_ns = ? AND record = ?", []any{r.Time, r.ID[:]}, &there)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	age, seen := t.age(r.Time)
	t.c.names.age = age
	source, err := t.sources.id(origin{r.Tenant, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion, r.Resource}, age)
	if err != nil {
		return err
	}
	attrs, err := t.encodeAttrs(r.Attrs, nil)
	if err != nil {
		return err
	}
	var body any
	if r.Body != nil {
		if body, err = t.encoder.Value(nil, "", r.Body); err != nil {
			return err
		}
	}
	var keyID int64
	if key != nil {
		keyID = key.id
		key.stored(age, count(&row.Facts) > 0, true)
		t.terms.add(r.EachTerm, keyID)
	}
	leaf := ledger.Leaf{Kind: ledger.Record, Age: age, Arrival: seen != 0, Instead: ledger.None}
	copy(leaf.ID[:], r.ID[:])
	if leaf.Content, err = t.digest.Record(r); err != nil {
		return err
	}
	// Facts outlive their record, which may come again.
	stated, err := t.c.stated(&row.Facts, keyID, r.ID[:])
	if err != nil {
		return err
	}
	if !stated {
		leaf.Facts = t.facts.add(&row.Facts, keyID, t.leaf(), r.ID[:])
	}
	number := t.leaf()
	t.leaves = append(t.leaves, leaf)
	t.stored++
	t.events = append(t.events, r.Time, r.ID[:], orNull(keyID), idOrNull(r.Step.Span), source, r.Observed,
		t.c.names.text(r.Event), t.c.names.text(r.Severity), body, attrs, orNull(seen), number)
	return nil
}
