package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Find returns the run of a task id, else of a trace id in hex, with or without
// "trace:" before it, else of a prefix of one of six digits at least.
func (r *Reader) Find(ctx context.Context, tenant, id string) (evidence.Run, error) {
	return r.Look(ctx, tenant, id, nil)
}

// Look is Find for a caller who may have the run.
func (r *Reader) Look(ctx context.Context, tenant, id string, have func(evidence.Version) bool) (run evidence.Run, err error) {
	err = r.view(ctx, func(v *view) error {
		number, err := v.find(tenant, id)
		if err != nil {
			return err
		}
		if have != nil {
			version, err := v.version(number)
			if err != nil {
				return err
			}
			if have(version) {
				run.Tenant = tenant
				return nil
			}
		}
		run, err = v.run(number, tenant)
		return err
	})
	return run, err
}

// version is made of the leaves of a run's rows. A row that changes is a new leaf, and
// no number is given twice; rows from before the log have none, and are counted.
func (v *view) version(number int64) (evidence.Version, error) {
	var rows, last, sum int64
	err := v.conn.QueryRowContext(v.ctx, runVersion, number).Scan(&rows, &last, &sum)
	return evidence.Version(fmt.Sprintf("%x-%x-%x-%x", number, rows, last, uint64(sum))), err
}

// keyRange is a range of keys that an id may stand for.
type keyRange struct {
	kind        int64
	first, last []byte
}

// keyRanges returns what an id may mean, best first.
func keyRanges(id string) []keyRange {
	ranges := []keyRange{{keyTask, []byte(id), []byte(id)}}
	digits := strings.ToLower(strings.TrimPrefix(id, "trace:"))
	if len(digits) < evidence.MinTraceDigits || len(digits) > 32 {
		return ranges
	}
	first, err := hex.DecodeString(digits + strings.Repeat("0", 32-len(digits)))
	if err != nil {
		return ranges
	}
	last, _ := hex.DecodeString(digits + strings.Repeat("f", 32-len(digits)))
	return append(ranges, keyRange{keyTrace, first, last})
}

func (v *view) find(tenant, id string) (run int64, err error) {
	others := []string{}
	for _, k := range keyRanges(id) {
		var runs []int64
		err := v.each(findKey, 2, func(row []any) error {
			owner, _ := row[0].(string)
			number, _ := row[1].(int64)
			if owner == tenant {
				runs = append(runs, number)
			} else if !slices.Contains(others, owner) {
				others = append(others, owner)
			}
			return nil
		}, k.kind, k.first, k.last)
		switch {
		case err != nil:
			return 0, err
		case len(runs) == 1:
			return runs[0], nil
		case len(runs) > 1:
			return 0, evidence.Ambiguous(id, len(runs))
		}
	}
	return 0, evidence.NotFound(tenant, id, others)
}

// Recent yields runs, newest first. All of them are of one state of the store;
// while yield works, what is written meanwhile cannot be taken out of the
// write-ahead log, so yield should not wait for people.
func (r *Reader) Recent(ctx context.Context, q evidence.Query, yield func(evidence.Run) bool) error {
	since := int64(-1 << 63)
	if !q.Since.IsZero() {
		since = q.Since.UnixNano()
	}
	statement, args := recentAll, []any{since}
	if !q.AllTenants {
		statement, args = recentTenant, []any{since, q.Tenant}
	}
	err := r.view(ctx, func(v *view) error {
		return v.each(statement, 2, func(row []any) error {
			number, _ := row[0].(int64)
			tenant, _ := row[1].(string)
			run, err := v.run(number, tenant)
			if err == nil && !yield(run) {
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

// errStop says that yield wants no more.
var errStop = errors.New("stop")

// run reads all of a run. Spans are ordered by start, records by time, then by
// their ids, whatever the order of arrival was.
func (v *view) run(number int64, tenant string) (evidence.Run, error) {
	run := evidence.Run{Tenant: tenant}
	x := v.texts()
	type linkName struct {
		key  int64
		span evidence.SpanID
	}
	links := map[linkName][]any{}
	err := v.each(runLinks, insertLinks.columns, func(row []any) error {
		key, _ := row[0].(int64)
		name := linkName{key, spanID(row[1])}
		links[name] = append(links[name], row...)
		return nil
	}, number)
	if err != nil {
		return run, err
	}
	err = v.each(runSpans, insertSpans.columns+1, func(row []any) error {
		trace, _ := row[0].([]byte)
		key, _ := row[1].(int64)
		enc := encodedSpan{row: row[1:], links: links[linkName{key, spanID(row[2])}]}
		sp, err := x.span(tenant, traceID(trace), enc)
		run.Spans = append(run.Spans, sp)
		return err
	}, number)
	if err != nil {
		return run, err
	}
	err = v.each(runEvents, insertEvents.columns+1, func(row []any) error {
		trace, _ := row[0].([]byte)
		rec, err := x.record(tenant, traceID(trace), row[1:])
		run.Records = append(run.Records, rec)
		return err
	}, number)
	slices.SortFunc(run.Spans, func(a, b evidence.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.ID.Trace[:], b.ID.Trace[:]), bytes.Compare(a.ID.Span[:], b.ID.Span[:]))
	})
	slices.SortFunc(run.Records, func(a, b evidence.Record) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return run, err
}
