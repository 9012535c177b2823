package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Logs applies the policy in place. A resource whose walk panics is removed and
// counted.
func (p *Policy) Logs(ld plog.Logs) Hits {
	w := p.walk()
	w.migrateLogs(ld)
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		return w.guard(ResourceAttribute, func() { w.resourceLogs(rl) })
	})
	return p.done(w)
}

func (w *walk) resourceLogs(rl plog.ResourceLogs) {
	w.resource(rl.Resource())
	w.set(rl.SchemaUrl(), rl.SetSchemaUrl, SchemaURL)
	for _, sl := range rl.ScopeLogs().All() {
		w.scope(sl.Scope())
		w.set(sl.SchemaUrl(), sl.SetSchemaUrl, SchemaURL)
		sl.LogRecords().RemoveIf(func(lr plog.LogRecord) bool {
			return w.guard(LogAttribute, func() { w.record(lr) })
		})
	}
}

func (w *walk) record(lr plog.LogRecord) {
	w.begin()
	if w.restartID(lr.TraceID(), lr.SetTraceID) {
		lr.SetFlags(plog.LogRecordFlags(restarted(uint32(lr.Flags()))))
	}
	names := eventNames(lr)
	agents, named := w.fromAgent(lr, names), w.namesEvent(lr.Body(), names)
	w.name(lr.EventName(), lr.SetEventName, LogEventName)
	w.name(lr.SeverityText(), lr.SetSeverityText, LogSeverity)
	if isMessage(names[0]) || isMessage(names[1]) {
		w.messageAttributes(lr.Attributes(), LogAttribute)
	} else {
		w.attributes(lr.Attributes(), LogAttribute)
	}
	w.body(lr.Body(), agents && !named)
	w.end(lr.Attributes())
}

// eventNames are the record's names of its event: its own and the attribute of
// emitters that do not fill it.
func eventNames(lr plog.LogRecord) (names [2]string) {
	names[0] = lr.EventName()
	if v, ok := lr.Attributes().Get(semconv.EventName); ok {
		names[1] = v.Str()
	}
	return names
}

// namesEvent reports whether the body only repeats a name of the event, alone
// or behind a dotted prefix: claude_code.tool_result of tool_result.
func (w *walk) namesEvent(body pcommon.Value, names [2]string) bool {
	if body.Type() != pcommon.ValueTypeStr || !nameLike(body.Str(), w.p.engine.kinds) {
		return false
	}
	for _, name := range names {
		prefix, ok := strings.CutSuffix(body.Str(), name)
		if ok && name != "" && (prefix == "" || strings.HasSuffix(prefix, ".") && isPath(prefix)) {
			return true
		}
	}
	return false
}

// fromAgent reports whether the record is an agent's or a model's event: what
// people and models say stands in the bodies of those.
func (w *walk) fromAgent(lr plog.LogRecord, names [2]string) bool {
	if lr.Body().Type() == pcommon.ValueTypeEmpty {
		return false // nothing depends on it
	}
	for _, name := range names {
		if strings.HasPrefix(name, "gen_ai.") || strings.HasPrefix(name, "app.") {
			return true
		}
	}
	for key := range lr.Attributes().All() {
		if w.classify(key)&classAgent != 0 {
			return true
		}
	}
	return false
}

// body treats a log record's body. That of an agent's record is content but for
// the fixed path of a message; any other is treated as the value of a key that
// nobody knows.
func (w *walk) body(v pcommon.Value, agents bool) {
	remove := false
	switch {
	case !agents:
		remove = w.value(v, LogBody, 0, 0)
	case w.p.set.Content == Keep:
		remove = w.value(v, LogBody, 0, classPlain|classOpen)
	default:
		remove = w.message(v, atBody, LogBody)
	}
	if remove {
		v.SetStr("")
	}
}
