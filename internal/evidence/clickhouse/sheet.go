package clickhouse

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// part is a batch, or a piece of one.
type part struct {
	spans   []spanRow
	records []recordRow
	refused []intake.Refusal
}

// len is the number of rows that are not refused.
func (p *part) len() int { return len(p.spans) + len(p.records) }

// split returns both halves of a part of two rows or more, without the refused.
func (p *part) split() [2]*part {
	half := p.len() / 2
	if n := len(p.spans); half > n {
		return [2]*part{{spans: p.spans, records: p.records[:half-n]}, {records: p.records[half-n:]}}
	}
	return [2]*part{{spans: p.spans[:half]}, {spans: p.spans[half:], records: p.records}}
}

// refuse turns a part of one row into its refusal.
func (p *part) refuse(reason string) *part {
	if len(p.spans) > 0 {
		s := p.spans[0].whole()
		return &part{refused: []intake.Refusal{intake.RefuseSpan(&s, reason, intake.MaxQuarantineBody)}}
	}
	return &part{refused: []intake.Refusal{intake.RefuseRecord(&p.records[0].Record.Record, reason, intake.MaxQuarantineBody)}}
}

// sheet is one caller's batch, taken in: rows that no store can keep are set
// aside, of the others all is computed that does not depend on the store. Its
// memory is used for one batch after the other.
type sheet struct {
	part
	maxRow  int
	flat    flattener
	encoder codec.Encoder
	scratch []byte
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

func (sh *sheet) reset() {
	clear(sh.spans)
	sh.part = part{spans: sh.spans[:0]}
	sh.flat.reset()
	clear(sh.sources)
	sh.lastName, sh.last = sourceName{}, nil
}

// takeTraces takes spans in as OTLP has them.
func (sh *sheet) takeTraces(td ptrace.Traces) {
	evidence.EachSpan(td, func(s evidence.Span, attrs pcommon.Map) {
		sh.span(s, sh.flat.ofMap(attrs, sh.maxRow))
	})
}

func (sh *sheet) take(b evidence.Batch) {
	for i := range b.Spans {
		s := b.Spans[i]
		attrs := sh.flat.ofAttrs(s.Attrs, sh.maxRow)
		s.Attrs = nil
		sh.span(s, attrs)
	}
	if len(b.Records) == 0 {
		return
	}
	in := intake.Prepare(evidence.Batch{Records: b.Records}, sh.maxRow, intake.AsStated)
	sh.refused = append(sh.refused, in.Refused...)
	for i := range in.Records {
		rec := &in.Records[i].Record
		source, err := sh.source(rec.Tenant, rec.Service, rec.ServiceVersion, rec.Scope, rec.ScopeVersion, rec.Resource)
		if err != nil {
			sh.refused = append(sh.refused, intake.RefuseRecord(rec, err.Error(), sh.maxRow))
			continue
		}
		sh.records = append(sh.records, recordRow{Record: &in.Records[i], source: source})
	}
}

// span takes one span in, whose attributes come beside it.
func (sh *sheet) span(s evidence.Span, attrs rowAttrs) {
	row := spanRow{span: s, rowAttrs: attrs}
	if err := sh.fill(&row); err != nil {
		s = row.whole()
		sh.refused = append(sh.refused, intake.RefuseSpan(&s, err.Error(), sh.maxRow))
		return
	}
	sh.spans = append(sh.spans, row)
}

func (sh *sheet) fill(row *spanRow) (err error) {
	s := &row.span
	if row.source, err = sh.source(s.Tenant, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion, s.Resource); err != nil {
		return err
	}
	if err := sh.flat.size.Span(s, row.source.size); err != nil {
		return err
	}
	states := false
	for i := range row.attrs {
		at := &row.attrs[i]
		if at.key.task >= 0 && at.kind == attrText {
			row.tasks[at.key.task] = at.text
		}
		states = states || at.key.fact
	}
	if states || len(s.Events) > 0 {
		row.facts = factsOfRow(row, states)
	}
	if t := row.tasks[0]; t != "" {
		row.task = clipped(t)
		row.stated = row.task == t
	} else {
		row.task = taskOfTrace(s.ID.Trace)
	}
	row.statement, row.content, err = sh.statement(row)
	return err
}

// factsOfRow returns the facts of a span that are rows of their own: all but the
// decision and the effect of its attributes, which are in columns of the span.
func factsOfRow(row *spanRow, states bool) *evidence.Facts {
	s := row.whole()
	events := evidence.FactsOfEvents(&s)
	if !states {
		return &events
	}
	all := evidence.FactsOf(&s)
	all.Decisions, all.Effects = events.Decisions, events.Effects
	return &all
}

// statement digests all that a span says. The number is its identity in the tables,
// content what the log over the rows says.
func (sh *sheet) statement(row *spanRow) (number uint64, content ledger.Digest, err error) {
	s := &row.span
	b := append(sh.scratch[:0], ledger.OfStatement)
	for _, t := range [...]string{s.Tenant, s.Name, s.Kind, s.Status, s.StatusMessage, s.TraceState, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion} {
		b = codec.AppendText(b, t)
	}
	b = append(b, s.ID.Trace[:]...)
	b = append(b, s.ID.Span[:]...)
	b = append(b, s.Parent[:]...)
	b = binary.AppendVarint(b, s.Start)
	b = binary.AppendVarint(b, s.End)
	b = binary.AppendUvarint(b, uint64(len(row.attrs)))
	b, err = row.appendTo(b, &sh.encoder)
	if err == nil {
		b, err = sh.encoder.Events(b, s.Events, s.Start)
	}
	for i := 0; i < len(s.Links) && err == nil; i++ {
		l := &s.Links[i]
		b = append(b, l.To.Trace[:]...)
		b = append(b, l.To.Span[:]...)
		b = codec.AppendText(b, l.Relation)
		b = codec.AppendText(b, l.TraceState)
		b, err = sh.encoder.Attrs(b, l.Attrs, nil)
	}
	if err != nil {
		return 0, content, err
	}
	// The resource is part of it by its digest, computed once a batch.
	b = append(b, row.source.digest[:]...)
	sh.scratch = b
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:]), sum, nil
}

// source returns what rows of one resource and scope have in common, once a
// batch.
func (sh *sheet) source(tenant, service, serviceVersion, scope, scopeVersion string, resource evidence.Attrs) (*sourceRow, error) {
	name := sourceName{tenant, service, serviceVersion, scope, scopeVersion, reflect.ValueOf(resource).Pointer()}
	if sh.last != nil && sh.lastName == name {
		return sh.last, nil
	}
	row := sh.sources[name]
	if row == nil {
		row = &sourceRow{tenant: tenant, service: service, serviceVersion: serviceVersion, scope: scope, scopeVersion: scopeVersion, resource: resource, age: math.MinInt64}
		var err error
		if row.size, err = intake.Sender(tenant, service, serviceVersion, scope, scopeVersion, resource); err != nil {
			return nil, err
		}
		b := make([]byte, 0, 512)
		for _, t := range [...]string{tenant, service, serviceVersion, scope, scopeVersion} {
			b = codec.AppendText(b, t)
		}
		if b, err = sh.encoder.Attrs(b, resource, nil); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(b)
		row.id, row.digest = binary.BigEndian.Uint64(sum[:]), sum
		if sh.sources == nil {
			sh.sources = map[sourceName]*sourceRow{}
		}
		sh.sources[name] = row
	}
	sh.lastName, sh.last = name, row
	return row, nil
}

// sheets are those that wait for a batch.
type sheets struct {
	mu   sync.Mutex
	free []*sheet
}

// What is kept of sheets: as many as callers wait for one group, and none that had
// a batch far longer than usual.
const (
	maxSheets    = 16
	maxSheetRows = 4 * 8192
)

func (s *sheets) get(maxRow int) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		sh := s.free[n-1]
		s.free = s.free[:n-1]
		return sh
	}
	return &sheet{maxRow: maxRow}
}

// put takes a sheet back that nobody uses any more.
func (s *sheets) put(sh *sheet) {
	if len(sh.spans) > maxSheetRows || len(sh.flat.attrs) > 32*maxSheetRows {
		return
	}
	sh.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxSheets {
		s.free = append(s.free, sh)
	}
}
