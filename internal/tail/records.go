package tail

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// SplitRecords encodes what a batch of log records says about runs: the records
// that a class can be read from and that name a trace or a task. The batch is left
// as it is. A piece holds names, times and attributes; no class reads a body, a
// severity or a resource. Any record counts as an alarm: none is here that no class reads.
func SplitRecords(ld plog.Logs) ([]Piece, error) {
	var order []*recordBuilder
	byPlace := map[placeOf]*recordBuilder{}
	records := evidence.FromLogs(ld)
	n := -1
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				n++
				r := &records[n]
				at := placeOf{traceOf: traceOf{r.Tenant, r.Step.Trace}}
				if at.trace == (evidence.TraceID{}) {
					at.task = firstTask(r.Attrs)
				}
				if at.trace == (evidence.TraceID{}) && at.task == "" || !testifies(records[n:n+1]) {
					continue
				}
				b := byPlace[at]
				if b == nil {
					b = newRecordBuilder(at)
					byPlace[at] = b
					order = append(order, b)
				}
				b.add(lr, r)
			}
		}
	}
	pieces := make([]Piece, len(order))
	for i, b := range order {
		var err error
		if pieces[i], err = b.piece(); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

// Weight is the room that pieces of records take.
func Weight(pieces []Piece) (n int64) {
	for i := range pieces {
		n += int64(len(pieces[i].Data))
	}
	return n
}

// placeOf is what the records of one piece have in common; task is empty if there
// is a trace.
type placeOf struct {
	traceOf
	task string
}

var taskKeys = [...]string{semconv.AppTaskID, semconv.AppTaskParentID, semconv.AppTaskRootID}

func firstTask(a evidence.Attrs) string {
	for _, key := range taskKeys {
		if id := a.Str(key); id != "" {
			return id
		}
	}
	return ""
}

// testimony is the keys beside those of facts that a class reads of a record.
var testimony = [...]string{
	semconv.AppGuardrailOutcome, semconv.AppToolEffectClass,
	semconv.AppAuthorityDelegationID, semconv.AppAuthorityDelegationParentID, semconv.AppAuthorityExpiresAt,
	semconv.AppAuthorityResource, semconv.AppAuthorityAudience, semconv.AppAuthorityOperations,
}

// testifies reports whether a class can depend on the one record: it is a domain
// event, or states a fact or a key that classes read.
func testifies(one []evidence.Record) bool {
	r := &one[0]
	if evidence.CountUnknown(one) == 0 {
		return true
	}
	for _, key := range testimony {
		if _, ok := r.Attrs[key]; ok {
			return true
		}
	}
	f := evidence.FactsOfRecord(r)
	return len(f.Decisions)+len(f.Effects)+len(f.Controls)+len(f.Verdicts)+len(f.Claims)+len(f.Protocols)+len(f.Extensions) > 0
}

type recordBuilder struct {
	placeOf
	ld    plog.Logs
	into  plog.LogRecordSlice
	tasks []string
	names Names
}

func newRecordBuilder(at placeOf) *recordBuilder {
	b := &recordBuilder{placeOf: at, ld: plog.NewLogs()}
	rl := b.ld.ResourceLogs().AppendEmpty()
	if at.tenant != "" {
		rl.Resource().Attributes().PutStr(semconv.TenantID, at.tenant)
	}
	b.into = rl.ScopeLogs().AppendEmpty().LogRecords()
	return b
}

func (b *recordBuilder) add(from plog.LogRecord, r *evidence.Record) {
	to := b.into.AppendEmpty()
	to.SetTraceID(from.TraceID())
	to.SetSpanID(from.SpanID())
	to.SetTimestamp(from.Timestamp())
	to.SetObservedTimestamp(from.ObservedTimestamp())
	to.SetEventName(r.Event)
	from.Attributes().CopyTo(to.Attributes())
	b.names.note(r.Step.Trace, r.Attrs.Str(semconv.AppTaskID), r.Attrs.Str(semconv.AppTaskParentID), r.Attrs.Str(semconv.AppTaskRootID))
	for _, key := range taskKeys {
		if id := r.Attrs.Str(key); id != "" && !slices.Contains(b.tasks, id) {
			b.tasks = append(b.tasks, id)
		}
	}
}

func (b *recordBuilder) piece() (Piece, error) {
	var keys []Key
	if !pcommon.TraceID(b.trace).IsEmpty() {
		keys = append(keys, traceKey(b.tenant, b.trace))
	}
	for _, id := range b.tasks {
		keys = append(keys, taskKey(b.tenant, id))
	}
	var m plog.ProtoMarshaler
	data, err := m.MarshalLogs(b.ld)
	return Piece{Tenant: b.tenant, Keys: keys, Data: data, Records: b.into.Len(), Digest: Digest{Clues: clueAlarm, Names: b.names}}, err
}

// Place gives pieces of records their places.
func Place(pieces []Piece, alloc Alloc) {
	for i := range pieces {
		block, room := alloc(len(pieces[i].Data))
		copy(room, pieces[i].Data)
		pieces[i].Block, pieces[i].Data = block, room
	}
}
