package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// echo remembers what was replaced in a span, to know a status message that
// repeats it: exception texts often stand in both.
type echo struct {
	on   bool
	seen []heard
}

type heard struct {
	hex  [tokenHex]byte
	text string // "" if the value was no text
}

const (
	maxEchoes = 32
	// minEcho is how long a text must be to be looked for inside another.
	minEcho = 4
)

func (e *echo) reset() {
	clear(e.seen)
	e.on, e.seen = false, e.seen[:0]
}

func (e *echo) heard(hex [tokenHex]byte, v pcommon.Value) {
	if len(e.seen) < maxEchoes {
		h := heard{hex: hex}
		if v.Type() == pcommon.ValueTypeStr {
			h.text = v.Str()
		}
		e.seen = append(e.seen, h)
	}
}

// status treats a status message. What repeats a replaced value of the span is
// content. Of an agent's span so is every message that is not name-like: vendors
// put exception texts, and with them prompts and results, there.
func (w *walk) status(st ptrace.Status) {
	msg := st.Message()
	if msg == "" {
		return
	}
	out, changed := w.echoed(msg)
	if w.agent && w.p.set.Content != Keep && !withheld[out] && !w.statusLike(out) {
		out, changed = w.said(msg), true
	}
	if changed {
		w.tally.hit(ruleContent, SpanStatus)
		st.SetMessage(out)
	}
	w.set(out, st.SetMessage, SpanStatus)
}

// said is what stands for a text that is content.
func (w *walk) said(s string) string {
	if w.p.set.Content == Drop {
		return ""
	}
	return w.token(contentKindOf(textMedia(s), len(s)), w.digest.text(s))
}

// statusLike reports whether a message is name-like, or a name-like type and a
// token behind it.
func (w *walk) statusLike(s string) bool {
	if at := strings.LastIndex(s, ": "+tokenOpen); at >= 0 && tokenAt(s, at+2, w.p.engine.kinds) == len(s) {
		s = s[:at]
	}
	return nameLike(s, w.p.engine.kinds)
}

// echoed returns the message without what it repeats, wherever it does.
func (w *walk) echoed(s string) (out string, changed bool) {
	if isToken(s, w.p.engine.kinds) {
		return s, false
	}
	hex := [tokenHex]byte{}
	if len(w.echo.seen) > 0 {
		hex = w.digest.text(s)
	}
	for _, h := range w.echo.seen {
		if h.hex == hex {
			return w.said(s), true
		}
	}
	out = s
	for _, h := range w.echo.seen {
		if len(h.text) >= minEcho && strings.Contains(out, h.text) {
			out, changed = strings.ReplaceAll(out, h.text, w.said(h.text)), true
		}
	}
	if changed {
		return strings.TrimSuffix(out, ": "), true
	}
	if len(s) >= minEcho && !nameLike(s, w.p.engine.kinds) {
		for _, h := range w.echo.seen {
			if strings.Contains(h.text, s) { // a stack trace holds its message
				return w.said(s), true
			}
		}
	}
	return s, false
}
