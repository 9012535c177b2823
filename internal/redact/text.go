package redact

import "slices"

// maxRounds bounds how often a text is read again after replacing. Each round
// that finds something turns at least one more byte into a token, so the rounds
// end; more than a few only come from text made to that end.
const maxRounds = 8

// text replaces what the rules find in s and reports whether it did. Short texts
// that the rules left alone lately are not read again.
func (w *walk) text(s string, pos Position) (string, bool) {
	if s == "" {
		return s, false
	}
	if len(s) > w.p.set.MaxValueBytes {
		return w.replaced(s, TooLong, pos), true
	}
	hash, clean := w.clean.has(s)
	if clean {
		return s, false
	}
	out, changed := w.guardedText(s, pos)
	if !changed {
		w.clean.note(hash, s)
	}
	return out, changed
}

// guardedText is text with the rules' panics contained. The named results are
// what the deferred function sets.
func (w *walk) guardedText(s string, pos Position) (out string, changed bool) {
	defer func() {
		if recover() != nil {
			clear(w.find.last)
			out, changed = w.replaced(s, Panicked, pos), true
		}
	}()
	e := w.p.engine
	for round := 0; ; round++ {
		if !e.find(s, &w.find) {
			clear(w.find.last)
			return w.replaced(s, TooMuch, pos), true
		}
		if len(w.find.found) == 0 {
			return s, changed
		}
		if round == maxRounds {
			return w.replaced(s, Unstable, pos), true
		}
		s, changed = w.splice(s, pos), true
	}
}

// splice writes s with its found parts as tokens.
func (w *walk) splice(s string, pos Position) string {
	if w.watch != nil {
		w.watch(s, w.find.found)
	}
	b := slices.Grow(w.buf[:0], len(s)+len(w.find.found)*len(tokenOpen))
	at := 0
	for _, m := range w.find.found {
		b = append(b, s[at:m.start]...)
		b = w.appendToken(b, m.rule.kind, w.digest.text(s[m.start:m.end]))
		at = m.end
		w.tally.hit(m.rule.id, pos)
	}
	b = append(b, s[at:]...)
	out := string(b)
	if w.buf = b; cap(b) > maxKeptBuffer {
		w.buf = nil
	}
	return out
}

const maxKeptBuffer = 64 << 10

// replaced is the token of a text that could not be judged.
func (w *walk) replaced(s string, r Reason, pos Position) string {
	w.tally.fail(r, pos)
	return w.token(r.String(), w.digest.text(s))
}

// dirty reports whether the rules find anything in the text.
func (w *walk) dirty(s string) bool {
	if len(s) > w.p.set.MaxValueBytes {
		return true
	}
	ok := w.p.engine.find(s, &w.find)
	clear(w.find.last)
	return !ok || len(w.find.found) > 0
}

func (w *walk) token(kind string, hex [tokenHex]byte) string {
	var b [len(tokenOpen) + maxKindLen + tokenHex + 2]byte
	return string(w.appendToken(b[:0], kind, hex))
}

func (w *walk) appendToken(b []byte, kind string, hex [tokenHex]byte) []byte {
	b = append(b, tokenOpen...)
	b = append(b, kind...)
	b = append(b, ':')
	b = append(b, hex[:]...)
	return append(b, ']')
}
