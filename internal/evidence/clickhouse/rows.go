package clickhouse

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"reflect"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// clockSkew is how far a sender's clock may be ahead before its times are not
// believed.
const clockSkew = int64(24 * 3600 * 1e9)

// spanRow is a statement of a span on its way into the tables.
type spanRow struct {
	*intake.Span
	statement uint64
	content   ledger.Digest
	key       *keyRow // its trace
	attrs     []attr  // in order
	task      string  // task_id
	stated    bool    // task_id is what the span states
	root      string
	source    uint64
	age, seen int64
}

type recordRow struct {
	*intake.Record
	key       *keyRow // what it hangs on, nil if nothing
	task      string
	root      string
	source    uint64
	age, seen int64
}

// sourceRow is what rows of one resource and scope have in common.
type sourceRow struct {
	tenant, service, serviceVersion, scope, scopeVersion string
	resource                                             evidence.Attrs
	id                                                   uint64
	digest                                               ledger.Digest
	age                                                  int64
}

// rows is a batch made ready for the tables.
type rows struct {
	now     int64
	ver     uint64
	spans   []spanRow
	records []recordRow
	sources []*sourceRow
	keys    *keySet
	// token names the batch: it follows from the rows and their order.
	token string
}

// encoding turns batches into rows. It is used by one goroutine at a time.
type encoding struct {
	encoder codec.Encoder
	scratch []byte
	keys    attrKeys
	digest  ledger.Digester
	leaves  []byte // scratch
	sources map[sourceName]*sourceRow
	// The source of the row before, which is often that of the next.
	lastName sourceName
	last     *sourceRow
}

// sourceName names a source inside one batch: rows of one resource share its map.
type sourceName struct {
	tenant, service, serviceVersion, scope, scopeVersion string
	resource                                             uintptr
}

// age returns how old a row counts for retention and order: its time, or the
// store's own, then also as seen, if the time cannot be true.
func age(time, now int64) (age, seen int64) {
	if now == 0 || time > 0 && time <= now+clockSkew {
		return time, 0
	}
	return now, now
}

const traceTask = "trace:"

func taskOfTrace(t evidence.TraceID) string { return traceTask + hex.EncodeToString(t[:]) }

// maxKey is the most bytes of a task id that order tables; of a longer one the
// digest does. Queries name keys, and a query has a limit.
const maxKey = 512

// clipped is a task id as the tables know it.
func clipped(task string) string {
	if len(task) <= maxKey {
		return task
	}
	sum := sha256.Sum256([]byte(task))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// attrsAtOnce is for how many attributes room is made at once.
const attrsAtOnce = 4096

// rows makes batches ready, as one. What cannot be encoded comes back as an error of
// the row, which intake lets through only if it is at fault itself.
func (e *encoding) rows(batches []*intake.Batch, now int64, generation int64) (*rows, error) {
	r := &rows{now: now, ver: math.MaxUint64 - uint64(now), keys: newKeySet()}
	e.sources, e.last = map[sourceName]*sourceRow{}, nil
	digest := sha256.New()
	var word [8]byte
	put := func(n uint64) {
		binary.BigEndian.PutUint64(word[:], n)
		digest.Write(word[:])
	}
	put(uint64(generation))
	spans, records := 0, 0
	for _, b := range batches {
		spans, records = spans+len(b.Spans), records+len(b.Records)
	}
	seen := make(map[uint64]bool, spans)
	r.spans, r.records = make([]spanRow, 0, spans), make([]recordRow, 0, records)
	var room []attr // for the attributes of rows to come
	for _, b := range batches {
		for i := range b.Spans {
			row, err := e.span(r, &b.Spans[i], &room)
			if err != nil {
				return nil, err
			}
			if !seen[row.statement] {
				seen[row.statement] = true
				r.spans = append(r.spans, row)
				put(row.statement)
			}
		}
	}
	for _, b := range batches {
		for i := range b.Records {
			row, err := e.record(r, &b.Records[i])
			if err != nil {
				return nil, err
			}
			r.records = append(r.records, row)
			digest.Write(row.Record.Record.ID[:])
		}
	}
	r.token = hex.EncodeToString(digest.Sum(nil)[:16])
	r.sort()
	return r, nil
}

func (e *encoding) span(r *rows, in *intake.Span, room *[]attr) (spanRow, error) {
	s := &in.Span
	if cap(*room)-len(*room) < len(s.Attrs) {
		*room = make([]attr, 0, max(attrsAtOnce, len(s.Attrs)))
	}
	from := len(*room)
	*room = e.keys.sorted(*room, s.Attrs)
	attrs := (*room)[from:len(*room):len(*room)]
	statement, content, err := e.statement(s, attrs)
	if err != nil {
		return spanRow{}, &intake.RowError{Reason: err.Error()}
	}
	row := spanRow{Span: in, statement: statement, content: content, attrs: attrs}
	if t := string(s.Task()); t != "" {
		row.task = clipped(t)
		row.stated = row.task == t
	} else {
		row.task = taskOfTrace(s.ID.Trace)
	}
	row.age, row.seen = age(max(s.Start, s.End), r.now)
	if row.source, err = e.source(r, sourceRow{tenant: s.Tenant, service: s.Service, serviceVersion: s.ServiceVersion,
		scope: s.Scope, scopeVersion: s.ScopeVersion, resource: s.Resource}, row.age); err != nil {
		return row, &intake.RowError{Reason: err.Error()}
	}
	row.key = r.keys.span(s, row.age)
	return row, nil
}

func (e *encoding) record(r *rows, in *intake.Record) (recordRow, error) {
	rec := &in.Record
	row := recordRow{Record: in}
	row.age, row.seen = age(rec.Time, r.now)
	var err error
	if row.source, err = e.source(r, sourceRow{tenant: rec.Tenant, service: rec.Service, serviceVersion: rec.ServiceVersion,
		scope: rec.Scope, scopeVersion: rec.ScopeVersion, resource: rec.Resource}, row.age); err != nil {
		return row, &intake.RowError{Reason: err.Error()}
	}
	row.task = taskOfRecord(rec)
	row.key = r.keys.record(rec, row.age)
	return row, nil
}

// sort brings rows in the order of their tables, which saves the server to do it
// column by column.
func (r *rows) sort() {
	slices.SortFunc(r.spans, func(x, y spanRow) int {
		a, b := &x.Span.Span, &y.Span.Span
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(x.task, y.task), cmp.Compare(a.Start, b.Start),
			bytes.Compare(a.ID.Trace[:], b.ID.Trace[:]), bytes.Compare(a.ID.Span[:], b.ID.Span[:]), cmp.Compare(x.statement, y.statement))
	})
	slices.SortFunc(r.records, func(x, y recordRow) int {
		a, b := &x.Record.Record, &y.Record.Record
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(x.task, y.task), cmp.Compare(a.Time, b.Time), bytes.Compare(a.ID[:], b.ID[:]))
	})
}

// taskOfRecord is the task_id of a record: its task, else its trace, else the
// first task it names, else nothing.
func taskOfRecord(r *evidence.Record) string {
	if t := r.Task(); t != "" {
		return clipped(string(t))
	}
	if r.Step.Trace != (evidence.TraceID{}) {
		return taskOfTrace(r.Step.Trace)
	}
	for _, key := range taskKeys {
		if t := r.Attrs.Str(key); t != "" {
			return clipped(t)
		}
	}
	return ""
}

// taskKeys are the attributes that name a task which a row belongs to.
var taskKeys = [...]string{semconv.AppTaskID, semconv.AppTaskParentID, semconv.AppTaskRootID}

// statement digests all that a span says; attrs are its attributes in order. The
// number is its identity in the tables, content what the log over the rows says.
func (e *encoding) statement(s *evidence.Span, attrs []attr) (number uint64, content ledger.Digest, err error) {
	b := e.scratch[:0]
	for _, t := range [...]string{s.Tenant, s.Name, s.Kind, s.Status, s.StatusMessage, s.TraceState, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion} {
		b = codec.AppendText(b, t)
	}
	b = append(b, s.ID.Trace[:]...)
	b = append(b, s.ID.Span[:]...)
	b = append(b, s.Parent[:]...)
	b = binary.AppendVarint(b, s.Start)
	b = binary.AppendVarint(b, s.End)
	b = binary.AppendUvarint(b, uint64(len(attrs)))
	for i := 0; i < len(attrs) && err == nil; i++ {
		b = codec.AppendText(b, attrs[i].key.name)
		b, err = e.encoder.Value(b, "", attrs[i].value)
	}
	if err == nil {
		b, err = e.encoder.Events(b, s.Events, s.Start)
	}
	for i := 0; i < len(s.Links) && err == nil; i++ {
		l := &s.Links[i]
		b = append(b, l.To.Trace[:]...)
		b = append(b, l.To.Span[:]...)
		b = codec.AppendText(b, l.Relation)
		b = codec.AppendText(b, l.TraceState)
		b, err = e.encoder.Attrs(b, l.Attrs, nil)
	}
	if err != nil {
		return 0, content, err
	}
	// The resource is part of it by its digest, computed once a batch.
	source, err := e.sourceOf(sourceRow{tenant: s.Tenant, service: s.Service, serviceVersion: s.ServiceVersion, scope: s.Scope, scopeVersion: s.ScopeVersion, resource: s.Resource})
	if err != nil {
		return 0, content, err
	}
	b = binary.BigEndian.AppendUint64(b, source.id)
	e.scratch = b
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:]), ledger.Statement(sum, source.digest), nil
}

// source returns the number of a source and notes that the batch uses it.
func (e *encoding) source(r *rows, o sourceRow, age int64) (uint64, error) {
	row, err := e.sourceOf(o)
	if err != nil {
		return 0, err
	}
	if row.age == math.MinInt64 {
		r.sources = append(r.sources, row)
	}
	row.age = max(row.age, age)
	return row.id, nil
}

func (e *encoding) sourceOf(o sourceRow) (*sourceRow, error) {
	name := sourceName{o.tenant, o.service, o.serviceVersion, o.scope, o.scopeVersion, reflect.ValueOf(o.resource).Pointer()}
	if e.last != nil && e.lastName == name {
		return e.last, nil
	}
	if row := e.sources[name]; row != nil {
		e.lastName, e.last = name, row
		return row, nil
	}
	var own codec.Encoder
	b := make([]byte, 0, 512)
	for _, t := range [...]string{o.tenant, o.service, o.serviceVersion, o.scope, o.scopeVersion} {
		b = codec.AppendText(b, t)
	}
	b, err := own.Attrs(b, o.resource, nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	row := new(sourceRow) // not o: that would be made anew by every call
	*row = o
	row.id, row.digest, row.age = binary.BigEndian.Uint64(sum[:]), sum, math.MinInt64
	e.sources[name], e.lastName, e.last = row, name, row
	return row, nil
}
