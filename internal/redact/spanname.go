package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A span's name is written by a program: an operation and what it is done to.
// Some programs put there what somebody asked for.
const (
	maxSpanName      = 128 // bytes, tokens not counted
	maxSpanNameWords = 8
	minEchoWords     = 4 // of a name that is looked for in a replaced text
)

// spanName treats the name of a span whose attributes have been treated. One that
// repeats a replaced text is content, and of an agent's span so is one that is
// prose; the operation before it stays.
func (w *walk) spanName(span ptrace.Span) {
	name := span.Name()
	if w.p.set.Content != Keep && (w.agent && proseName(name, w.p.engine.kinds) || w.repeats(name)) {
		w.tally.hit(ruleContent, SpanName)
		span.SetName(w.operationOf(span, name))
		return
	}
	w.set(name, span.SetName, SpanName)
}

// operationOf is the name with what follows its operation, or all of it, replaced.
func (w *walk) operationOf(span ptrace.Span, name string) string {
	if op, ok := span.Attributes().Get(semconv.GenAIOperationName); ok && op.Str() != "" && nameLike(op.Str(), w.p.engine.kinds) {
		if rest, ok := strings.CutPrefix(name, op.Str()+" "); ok {
			return strings.TrimSpace(op.Str() + " " + w.said(rest))
		}
	}
	return w.said(name)
}

// repeats reports whether the name holds a replaced text that was no name, or is
// itself several words of one.
func (w *walk) repeats(name string) bool {
	if strings.IndexByte(name, ' ') < 0 {
		return false
	}
	words := strings.Count(name, " ") + 1
	for _, h := range w.echo.seen {
		if len(h.text) >= minEcho && strings.Contains(name, h.text) && !nameLike(h.text, w.p.engine.kinds) {
			return true
		}
		if words >= minEchoWords && strings.Contains(h.text, name) {
			return true
		}
	}
	return false
}

// proseName reports whether the name of an agent's span looks like what somebody
// said: long, of many words or lines, or with the end of a sentence.
func proseName(s string, kinds map[string]bool) bool {
	size, words := 0, 1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			return true
		case c == ' ':
			words++
		case c == '[':
			if end := tokenAt(s, i, kinds); end > 0 {
				i = end - 1
				continue
			}
		}
		size++
	}
	if size > maxSpanName || words > maxSpanNameWords {
		return true
	}
	for _, mark := range []string{".", "?", "!", "。", "？", "！"} {
		if strings.HasSuffix(s, mark) {
			return true
		}
	}
	return false
}
