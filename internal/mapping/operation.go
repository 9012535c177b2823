package mapping

import (
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// operation is a row of the snapshot's table: how its spans are named and which
// kinds they may have.
type operation struct {
	kinds []ptrace.SpanKind
	parts []namePart
}

// namePart is literal text or the value of a key.
type namePart struct {
	text string
	key  *target
}

var spanKinds = map[string]ptrace.SpanKind{
	"client": ptrace.SpanKindClient, "server": ptrace.SpanKindServer, "internal": ptrace.SpanKindInternal,
	"producer": ptrace.SpanKindProducer, "consumer": ptrace.SpanKindConsumer,
}

func (t *Tables) addOperations(s *semconv.Snapshot) {
	for _, o := range s.Operations {
		op := &operation{parts: t.nameParts(o.Name)}
		for _, k := range o.Kind {
			op.kinds = append(op.kinds, spanKinds[k])
		}
		t.operations[o.Operation] = op
	}
}

func (t *Tables) nameParts(template string) []namePart {
	var parts []namePart
	for template != "" {
		text, rest, open := strings.Cut(template, "{")
		if text != "" {
			parts = append(parts, namePart{text: text})
		}
		if !open {
			break
		}
		key, after, _ := strings.Cut(rest, "}")
		parts = append(parts, namePart{key: t.targets[key]})
		template = after
	}
	return parts
}

// name fills the template; it ends before the first key that has no value, and
// before the text in front of it. The current name is returned as it is when it
// already says the same, which costs no allocation.
func (o *operation) name(s *scratch) string {
	var buf [128]byte
	name := buf[:0]
	end := 0
	for i := range o.parts {
		p := &o.parts[i]
		if p.key == nil {
			name = append(name, p.text...)
			continue
		}
		v := s.textOf(p.key)
		if v == "" {
			break
		}
		name = append(name, v...)
		end = len(name)
	}
	if name = name[:end]; len(name) == 0 || string(name) == s.name {
		return s.name
	}
	if known, ok := s.names[string(name)]; ok {
		return known
	}
	if len(s.names) >= maxNames {
		clear(s.names)
	}
	made := string(name)
	s.names[made] = made
	return made
}

// maxNames bounds the names that a scratch remembers; spans have few.
const maxNames = 256

// kind of a span: the one that a rule says, else the stated one, if the operation
// allows it; else the usual one. A span of somebody else keeps its kind.
func (o *operation) kind(stated ptrace.SpanKind, rule string) ptrace.SpanKind {
	if len(o.kinds) == 0 || rule == wordKept {
		return stated
	}
	if want, ok := spanKinds[rule]; ok {
		stated = want
	}
	if rule != "usual" {
		for _, k := range o.kinds {
			if k == stated {
				return stated
			}
		}
	}
	return o.kinds[0]
}
