package clickhouse

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// clockSkew is how far a sender's clock may be ahead before its times are not
// believed.
const clockSkew = int64(24 * 3600 * 1e9)

// spanRow is a statement of a span on its way into the tables.
type spanRow struct {
	span evidence.Span // but for its attributes
	rowAttrs
	tasks     [len(taskKeys)]string // what it says of tasks
	facts     *evidence.Facts       // those that are rows of their own, nil if there are none
	statement uint64
	content   ledger.Digest
	task      string // task_id
	stated    bool   // task_id is what the span states
	source    *sourceRow

	// What depends on the batches it is inserted with, and on the store.
	key       *keyRow // its trace
	root      string
	age, seen int64
}

// whole returns the span with its attributes.
func (r *spanRow) whole() evidence.Span {
	s := r.span
	s.Attrs = r.rowAttrs.whole()
	return s
}

type recordRow struct {
	*intake.Record
	source *sourceRow

	key       *keyRow // what it hangs on, nil if nothing
	task      string
	root      string
	age, seen int64
}

// sourceRow is what rows of one resource and scope have in common.
type sourceRow struct {
	tenant, service, serviceVersion, scope, scopeVersion string
	resource                                             evidence.Attrs
	id                                                   uint64
	digest                                               ledger.Digest
	age                                                  int64
	size                                                 int // what it takes of each row
}

// rows is a batch made ready for the tables.
type rows struct {
	now     int64
	ver     uint64
	spans   []*spanRow
	records []*recordRow
	sources []*sourceRow
	keys    *keySet
	// token names the batch: it follows from the rows and their order.
	token string
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

// newRows makes batches ready, as one.
func newRows(batches []*part, now int64, generation int64) *rows {
	r := &rows{now: now, ver: math.MaxUint64 - uint64(now), keys: newKeySet()}
	sources := map[sourceID]*sourceRow{}
	digest := sha256.New()
	var word [8]byte
	put := func(n uint64) {
		binary.BigEndian.PutUint64(word[:], n)
		digest.Write(word[:])
	}
	put(uint64(generation))
	spans, records := 0, 0
	for _, b := range batches {
		spans, records = spans+len(b.spans), records+len(b.records)
	}
	seen := make(map[uint64]bool, spans)
	r.spans, r.records = make([]*spanRow, 0, spans), make([]*recordRow, 0, records)
	for _, b := range batches {
		for i := range b.spans {
			row := &b.spans[i]
			if seen[row.statement] {
				continue
			}
			seen[row.statement] = true
			row.age, row.seen = age(max(row.span.Start, row.span.End), now)
			row.key = r.keys.span(row)
			r.source(sources, row.source, row.age)
			r.spans = append(r.spans, row)
			put(row.statement)
		}
	}
	for _, b := range batches {
		for i := range b.records {
			row := &b.records[i]
			row.age, row.seen = age(row.Record.Record.Time, now)
			row.task = taskOfRecord(&row.Record.Record)
			row.key = r.keys.record(&row.Record.Record, row.age)
			r.source(sources, row.source, row.age)
			r.records = append(r.records, row)
			digest.Write(row.Record.Record.ID[:])
		}
	}
	r.token = hex.EncodeToString(digest.Sum(nil)[:16])
	r.sort()
	return r
}

// source notes that a row of an age uses a source. Several batches may have it.
func (r *rows) source(known map[sourceID]*sourceRow, s *sourceRow, age int64) {
	if n := len(r.sources); n > 0 && r.sources[n-1].id == s.id && r.sources[n-1].tenant == s.tenant {
		r.sources[n-1].age = max(r.sources[n-1].age, age)
		return
	}
	name := sourceID{s.tenant, s.id}
	own := known[name]
	if own == nil {
		own = new(sourceRow)
		*own = *s
		own.age = age
		known[name] = own
		r.sources = append(r.sources, own)
	}
	own.age = max(own.age, age)
}

// sort brings rows in the order of their tables, which saves the server to do it
// column by column.
func (r *rows) sort() {
	slices.SortFunc(r.spans, func(x, y *spanRow) int {
		a, b := &x.span, &y.span
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(x.task, y.task), cmp.Compare(a.Start, b.Start),
			bytes.Compare(a.ID.Trace[:], b.ID.Trace[:]), bytes.Compare(a.ID.Span[:], b.ID.Span[:]), cmp.Compare(x.statement, y.statement))
	})
	slices.SortFunc(r.records, func(x, y *recordRow) int {
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
