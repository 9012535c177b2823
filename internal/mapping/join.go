package mapping

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// call is the messages of one model call that came as one log record each: role
// events with one span, in one batch and scope. The first record says the
// messages of all; the others keep their bodies and are marked.
type call struct {
	records []plog.LogRecord // by time; equal times in the order of the batch
	void    bool             // the first one could not say them: each speaks for itself
}

type callKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// calls finds the calls of one scope's records. The answer has a place for each
// record, or is nil: most batches have none.
func (t *Tables) calls(records plog.LogRecordSlice) []place {
	if !t.readsContent || t.options.JoinRecords < 2 {
		return nil
	}
	var places []place
	var known map[callKey]*call
	for i, r := range records.All() {
		if r.SpanID().IsEmpty() || r.TraceID().IsEmpty() || !isRoleEvent(eventOf(r)) {
			continue
		}
		if known == nil {
			known, places = map[callKey]*call{}, make([]place, records.Len())
		}
		key := callKey{r.TraceID(), r.SpanID()}
		c := known[key]
		if c == nil {
			c = &call{}
			known[key] = c
		}
		if len(c.records) < t.options.JoinRecords {
			places[i] = place{of: c, first: len(c.records) == 0}
			c.records = append(c.records, r)
		}
	}
	for i := range places {
		if c := places[i].of; c != nil && len(c.records) < 2 {
			places[i] = place{}
		}
	}
	for _, c := range known {
		slices.SortStableFunc(c.records, func(a, b plog.LogRecord) int {
			switch {
			case a.Timestamp() < b.Timestamp():
				return -1
			case a.Timestamp() > b.Timestamp():
				return 1
			}
			return 0
		})
	}
	return places
}

// place of a record in a call.
type place struct {
	of    *call // nil: the record stands alone
	first bool
}

// mapLogs maps the records of one scope.
func (s *scratch) mapLogs(records plog.LogRecordSlice, hoisted int16) {
	places := s.t.calls(records)
	var gone []int
	for i, record := range records.All() {
		s.place = place{}
		if places != nil && (places[i].first || places[i].of != nil && !places[i].of.void) {
			s.place = places[i]
		}
		if s.mapLog(record, hoisted) {
			gone = append(gone, i)
		}
		if s.place.first && !s.saidMessages() {
			s.place.of.void = true
		}
	}
	s.place = place{}
	removeRecords(records, gone)
}

// saidMessages reports whether the record took what its call says.
func (s *scratch) saidMessages() bool {
	k := &s.t.known
	return s.decided[k.inputMessages.id] == s.gen || s.decided[k.outputMessages.id] == s.gen || s.decided[k.promptDigest.id] == s.gen
}

// joined reports whether another record says this one's messages.
func (s *scratch) joined() bool { return s.place.of != nil && !s.place.first }

// leaveCall is for a record whose dialect does not join.
func (s *scratch) leaveCall() {
	if s.place.first {
		s.place.of.void = true
	}
	s.place = place{}
}

// eventOf is the event's name, also of emitters that do not fill its field.
func eventOf(r plog.LogRecord) string {
	if name := r.EventName(); name != "" {
		return name
	}
	if v, ok := r.Attributes().Get(semconv.EventName); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func isRoleEvent(name string) bool {
	switch name {
	case semconv.EventGenAISystemMessage, semconv.EventGenAIUserMessage, semconv.EventGenAIAssistantMessage,
		semconv.EventGenAIToolMessage, semconv.EventGenAIChoice:
		return true
	}
	return false
}

// recordEvents are the records of the call as events.
func (c *content) recordEvents() *node {
	root := c.tree.grow(nodeList)
	for _, r := range c.s.place.of.records {
		body := c.loadDatum(datumOf(r.Body()))
		switch {
		case body != nil:
		case r.Body().Type() == pcommon.ValueTypeEmpty:
			body = c.tree.grow(nodeObject)
		default: // beyond the bounds, and with it the whole
			return nil
		}
		if v, ok := r.Attributes().Get(semconv.GenAIEventContent); ok && body.isObject() {
			if kid := c.loadValue(v, 0); kid != nil {
				kid.name = semconv.GenAIEventContent
				body.add(kid)
			}
		}
		n := c.named(body, eventOf(r))
		if root == nil || n == nil {
			return nil
		}
		root.add(n)
	}
	c.changed = true
	return root
}

// readsEvents reports whether some content of the block is read from events.
func (b *block) readsEvents() bool {
	for i := range b.content {
		for j := range b.content[i].from {
			if b.content[i].from[j].kind == fromSpanEvents {
				return true
			}
		}
	}
	return slices.ContainsFunc(b.cases, func(c block) bool { return c.readsEvents() })
}
