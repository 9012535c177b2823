package mapping

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// MapTraces maps every span in place.
func (t *Tables) MapTraces(td ptrace.Traces) Report {
	s := t.scratch()
	y := &tally{mapped: make([]int64, len(t.dialects))}
	s.tally, s.traces = y, td
	var gone droppedSpans
	for _, rs := range td.ResourceSpans().All() {
		s.setResource(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			s.setScope(ss.Scope())
			hoisted := t.detect[signalSpans].hoist(s)
			for _, span := range ss.Spans().All() {
				if s.mapSpan(span, hoisted) {
					gone.add(span)
				}
			}
		}
	}
	gone.remove(td)
	s.release()
	return t.report(y)
}

// mapSpan maps one span. It reports whether a rule drops it.
func (s *scratch) mapSpan(span ptrace.Span, hoisted int16) (drop bool) {
	s.begin(span.Name(), "")
	s.span, s.isSpan = span, true
	s.scan(span.Attributes(), signalSpans)
	if s.has(s.t.known.snapshot.id) {
		if x := s.mappedForOther(); x != nil {
			x.span(span, s.tally)
			s.restamp(span.Attributes())
		}
		return false
	}
	index := s.t.detect[signalSpans].pick(s, hoisted, "")
	if index < 0 {
		s.tally.left(leftDialect)
		return false
	}
	s.open()
	d := s.t.dialects[index]
	p := d.sections[signalSpans]
	if p.conform == conformFirst {
		s.conformSpan(span)
	}
	s.notePresent(p)
	s.run(&p.body)
	s.runFinally()
	if s.drop {
		s.tally.left(leftDropped)
		return true
	}
	if p.conform != "" {
		s.conform()
	}
	s.settleOperation()
	s.runContent()
	s.addDigests()
	s.settleUsage()
	s.settleStatus()
	s.relateLinks()
	s.shapeSpan(span)
	s.addEvents()
	s.commit(d, span.DroppedAttributesCount())
	if s.aggregate == choiceYes {
		moveAggregates(span.Attributes())
	}
	if s.t.goal != nil {
		s.t.goal.span(span, s.tally)
	}
	s.tally.mapped[index]++
	return false
}

// conformSpan brings keys and words of other snapshots to the pivot's before any
// field reads them. The band is the snapshot that such a span follows.
func (s *scratch) conformSpan(span ptrace.Span) {
	if !s.stale && span.Events().Len() == 0 {
		s.t.into.checkSpan(span, s.pivotTally())
		return
	}
	band, _ := recognise("", span.Attributes())
	if !s.t.into.span(span, s.pivotTally()) {
		return
	}
	s.begin(span.Name(), "")
	s.scan(span.Attributes(), signalSpans)
	s.followed = band
}

// pivotTally counts what the pivot has no place for, unless the target will.
func (s *scratch) pivotTally() *tally {
	if s.t.goal != nil {
		return nil
	}
	return s.tally
}

// mappedForOther is the translator for a record that was mapped to another
// snapshot than this one; nil if there is nothing to do.
func (s *scratch) mappedForOther() *translator {
	was, _ := coerce(datumOf(s.attrs[s.t.known.snapshot.id].val), typeString)
	return s.t.from[was.s]
}

func (s *scratch) restamp(attrs pcommon.Map) { attrs.PutStr(s.t.known.snapshot.key, s.t.snapshot) }

// shapeSpan gives the span the name and kind that its operation has in the
// snapshot. A client or server span of an MCP method is named after the method.
func (s *scratch) shapeSpan(span ptrace.Span) {
	k := &s.t.known
	if method := s.textOf(k.mcpMethod); method != "" && span.Kind() != ptrace.SpanKindInternal {
		s.rename(span, s.methodName(method))
		return
	}
	op := s.operation
	if op == nil {
		return
	}
	if kind := op.kind(span.Kind(), s.kind); kind != span.Kind() {
		span.SetKind(kind)
	}
	s.rename(span, op.name(s))
}

func (s *scratch) rename(span ptrace.Span, name string) {
	if name != s.name && s.naming != wordKept {
		s.rememberName(s.name)
		span.SetName(name)
	}
}

// methodName is the method and what it is called on.
func (s *scratch) methodName(method string) string {
	on := s.textOf(s.t.known.toolName)
	if on == "" {
		on = s.textOf(s.t.known.promptName)
	}
	switch {
	case on == "" && s.name == method:
		return s.name
	case on == "":
		return method
	case len(s.name) == len(method)+1+len(on) && strings.HasPrefix(s.name, method) && strings.HasSuffix(s.name, on):
		return s.name
	}
	return method + " " + on
}

func (s *scratch) rememberName(name string) {
	if name != "" && !s.has(s.t.known.originalName.id) {
		s.sayText(s.t.known.originalName, name)
	}
}

// settleOperation finds the operation's row of the snapshot. A word that no rule
// knew and the snapshot has no operation for is set aside.
func (s *scratch) settleOperation() {
	op := s.t.known.operation
	word := s.textOf(op)
	if s.operation = s.t.operations[word]; s.operation == nil && word != "" && s.decided[op.id] != s.gen {
		s.setAside(op, s.t.originals[op.id])
	}
}

// MapLogs maps every log record in place.
func (t *Tables) MapLogs(ld plog.Logs) Report {
	s := t.scratch()
	y := &tally{mapped: make([]int64, len(t.dialects))}
	s.tally = y
	for _, rl := range ld.ResourceLogs().All() {
		s.setResource(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			s.setScope(sl.Scope())
			hoisted := t.detect[signalLogs].hoist(s)
			t.unpackAll(sl.LogRecords())
			s.mapLogs(sl.LogRecords(), hoisted)
		}
	}
	s.release()
	return t.report(y)
}

// mapLog maps one record. It reports whether a rule drops it.
func (s *scratch) mapLog(record plog.LogRecord, hoisted int16) (drop bool) {
	s.begin("", record.EventName())
	s.record, s.isLog = record, true
	s.scanLog(record)
	if s.has(s.t.known.snapshot.id) {
		if x := s.mappedForOther(); x != nil {
			x.log(record, s.tally)
			s.restamp(record.Attributes())
		}
		return false
	}
	index := s.t.detect[signalLogs].pick(s, hoisted, s.plainEvent())
	if index < 0 {
		s.tally.left(leftDialect)
		return false
	}
	s.open()
	d := s.t.dialects[index]
	p := d.sections[signalLogs]
	if p.conform == conformFirst {
		s.conformLog(record)
	}
	s.notePresent(p)
	vendor, src := s.vendorEvent(p)
	event := p.event(vendor)
	if event == nil || !event.joins {
		s.leaveCall()
	}
	if event != nil {
		s.run(event)
	} else {
		s.tally.left(leftEvent)
	}
	s.run(&p.body)
	s.runFinally()
	s.remember(p)
	if s.drop {
		s.tally.left(leftDropped)
		return true
	}
	s.settleTime()
	if p.conform != "" {
		s.conform()
	}
	s.settleOperation()
	s.runContent()
	s.addDigests()
	s.settleUsage()
	if s.canonical == "" && p.adopt {
		s.canonical = vendor
	}
	if s.canonical != "" && s.canonical != record.EventName() {
		if vendor != s.canonical {
			s.rememberName(vendor)
		}
		if src != nil && src.kind == fromAttribute && src.key != s.t.known.body && s.has(src.key) {
			s.removeAttribute(src.key)
		}
		record.SetEventName(s.canonical)
	}
	if s.joined() {
		s.emit(s.t.known.joined, boolDatum(true))
	}
	s.commit(d, record.DroppedAttributesCount())
	if s.t.goal != nil {
		s.t.goal.log(record, s.tally)
	} else if p.conform == conformFirst {
		s.t.into.event(record.EventName(), s.tally)
	}
	s.tally.mapped[index]++
	return false
}

// scanLog is scan with the body, which is read like an attribute.
func (s *scratch) scanLog(record plog.LogRecord) {
	s.scan(record.Attributes(), signalLogs)
	if body := record.Body(); body.Type() != pcommon.ValueTypeEmpty {
		s.attrs[s.t.known.body] = attrSlot{s.gen, bodyPosition, body}
		if anchors := s.t.keys[s.t.known.body].anchors[signalLogs]; anchors != nil {
			s.anchored.add(anchors)
		}
	}
}

func (s *scratch) conformLog(record plog.LogRecord) {
	if !s.stale {
		return
	}
	band, _ := recognise("", record.Attributes())
	if !s.t.into.attributes(record.Attributes(), s.pivotTally()) {
		return
	}
	s.begin("", record.EventName())
	s.scanLog(record)
	s.followed = band
}

// bodyPosition stands for the body among the positions of attributes.
const bodyPosition = -1

// plainEvent is the record's event name as a foreign dialect would state it.
func (s *scratch) plainEvent() string {
	if s.event != "" {
		return s.event
	}
	if d := s.read(&s.t.eventAttribute); d.kind == kindString {
		return d.s
	}
	return ""
}

// vendorEvent reads the event name where the dialect keeps it, without the
// vendor's prefix.
func (s *scratch) vendorEvent(p *program) (string, *source) {
	for i := range p.eventFrom {
		src := &p.eventFrom[i]
		d := s.read(src)
		if d.kind != kindString || d.s == "" {
			continue
		}
		for _, prefix := range p.strip {
			if prefix == anyWord {
				if _, rest, ok := strings.Cut(d.s, "."); ok {
					return rest, src
				}
				continue
			}
			if rest, ok := strings.CutPrefix(d.s, prefix); ok {
				return rest, src
			}
		}
		return d.s, src
	}
	return "", nil
}

// event finds the block of an event; * stands for every event of the dialect
// that has none of its own.
func (p *program) event(name string) *block {
	if b, ok := p.events[name]; ok {
		return b
	}
	return p.events["*"]
}
