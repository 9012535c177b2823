package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// isMessage reports whether an event of that name carries what somebody said:
// GenAI-native events as instrumentations write them.
func isMessage(event string) bool {
	rest, ok := strings.CutPrefix(event, "gen_ai.")
	return ok && (strings.HasSuffix(rest, ".message") || rest == "choice" || strings.HasPrefix(rest, "content."))
}

// place is where on the fixed path of a message a map lies: a body, the message
// in it, a tool call of either, the function of a call. Everything off the path is
// content, whatever its key: the keys of arguments and results are anyone's.
type place uint8

const (
	atBody place = iota
	atMessage
	atCall
	atFunction
)

// plainAt are the keys whose texts are names, if they look like names.
var plainAt = [...]map[string]bool{
	atBody:     plainMessage,
	atMessage:  plainMessage,
	atCall:     {"id": true, "type": true, "name": true},
	atFunction: {"name": true},
}

var plainMessage = map[string]bool{"role": true, "id": true, "name": true, "type": true, "finish_reason": true, "tool_call_id": true}

// message treats a body or a part of it that lies on the path.
func (w *walk) message(v pcommon.Value, at place, pos Position) (remove bool) {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		w.messageEntries(v.Map(), at, pos)
		return false
	case pcommon.ValueTypeSlice:
		v.Slice().RemoveIf(func(item pcommon.Value) bool {
			if item.Type() != pcommon.ValueTypeMap {
				return w.content(item, pos)
			}
			w.messageEntries(item.Map(), at, pos)
			return false
		})
		return false
	}
	return w.content(v, pos)
}

func (w *walk) messageEntries(m pcommon.Map, at place, pos Position) {
	rename := false
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		class := w.classify(key)
		rename = rename || class&classDirty != 0
		if class&classDenied != 0 {
			return w.barred(key, v, pos, class)
		}
		if remove, done := w.onPath(key, v, at, pos); done {
			return remove
		}
		switch {
		case class&(classContent|classPerson) == classPerson:
			return w.value(v, pos, 1, classPerson)
		case key == "index" && v.Type() == pcommon.ValueTypeInt:
			return false
		}
		return w.content(v, pos)
	})
	if rename {
		w.rename(m)
	}
}

// onPath treats the entry if it lies on the path. What a dialect says of a bare
// key such as tool_calls does not count there, what the operator says does.
func (w *walk) onPath(key string, v pcommon.Value, at place, pos Position) (remove, done bool) {
	if w.p.content.match(key) {
		return false, false
	}
	switch {
	case plainAt[at][key] && v.Type() == pcommon.ValueTypeStr && nameLike(v.Str(), w.p.engine.kinds):
		return w.textValue(v, pos, classPlain), true
	case key == "message" && at == atBody && v.Type() == pcommon.ValueTypeMap:
		return w.message(v, atMessage, pos), true
	case key == "tool_calls" && at <= atMessage && v.Type() == pcommon.ValueTypeSlice:
		return w.message(v, atCall, pos), true
	case key == "function" && at == atCall && v.Type() == pcommon.ValueTypeMap:
		return w.message(v, atFunction, pos), true
	}
	return false, false
}

// messageAttributes treats the attributes of a message event: what no registry
// knows is content, but numbers.
func (w *walk) messageAttributes(m pcommon.Map, pos Position) {
	if w.p.set.Content == Keep {
		w.entries(m, pos, 0, classPlain|classOpen)
		return
	}
	rename, spoiled := false, len(w.spoiled)
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		class := w.classify(key)
		rename = rename || class&classDirty != 0
		if class&(classDenied|classContext|classStep) != 0 {
			return w.barred(key, v, pos, class)
		}
		if class&classStamp != 0 {
			w.stamp.see(key, v)
		}
		if remove, done := w.onPath(key, v, atBody, pos); done {
			return remove
		}
		number := v.Type() == pcommon.ValueTypeInt || v.Type() == pcommon.ValueTypeDouble
		if known, _ := semconv.Known().Match(key); known || number || class&(classPlain|classPerson|classContent) != 0 {
			return w.value(v, pos, 0, class)
		}
		return w.content(v, pos)
	})
	w.dropSpoiled(m, pos, spoiled)
	if rename {
		w.rename(m)
	}
}
