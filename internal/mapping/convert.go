package mapping

import "strings"

// convert brings a value to the target: its words, its unit and its type.
func (s *scratch) convert(f *field, src *source, d datum) (datum, outcome) {
	s.lossy = false
	if f.plain {
		if d, out := coerce(d, f.to.typ); out != fits || !f.to.count || d.i >= 0 {
			return d, out
		}
		return d, absent
	}
	if d.kind == kindNone {
		return d, absent
	}
	if f.shape != nil {
		return s.reshape(f, src, d)
	}
	if f.split != "" && d.kind == kindString {
		d = splitText(d.s, f.split)
	}
	if f.sinceStart {
		return s.sinceStart(d)
	}
	d, out := coerce(d, f.to.typ)
	if out != fits {
		return d, out
	}
	if f.cuts && d.kind == kindString {
		before := d.s
		if d.s, out = f.cut(d.s); out != fits {
			return d, out
		}
		s.lossy = d.s != before
	}
	if f.longest > 0 && len(d.s) > f.longest {
		return d, foreign
	}
	if f.unlike != nil && d.kind == kindString && f.unlike(d.s) {
		return d, absent
	}
	if f.absent != nil || f.values != nil || f.only != nil || f.starts != nil || f.to.closed != nil {
		if d, out = s.words(f, d); out != fits {
			return d, out
		}
	}
	if f.to.count && d.i < 0 {
		return d, absent
	}
	if f.divisor != 0 {
		d.f /= f.divisor
	}
	return d, fits
}

func containsID(list []int32, id int32) bool {
	for _, e := range list {
		if e == id {
			return true
		}
	}
	return false
}

func splitText(text, sep string) datum {
	d := datum{kind: kindList}
	for _, part := range strings.Split(text, sep) {
		if part = strings.TrimSpace(part); part != "" {
			d.list = append(d.list, part)
		}
	}
	return d
}

// cut takes the wanted part of a text. Without the mark of after there is none.
func (f *field) cut(text string) (string, outcome) {
	if f.after != "" {
		_, rest, ok := strings.Cut(text, f.after)
		if !ok {
			return "", foreign
		}
		text = rest
	}
	if f.until != "" {
		if i := strings.LastIndex(text, f.until); i >= 0 {
			text = text[:i]
		}
	}
	if f.untilAny != "" {
		text, _, _ = strings.Cut(text, f.untilAny)
	}
	if f.last != "" {
		if i := strings.LastIndex(text, f.last); i >= 0 {
			text = text[i+len(f.last):]
		}
	}
	if f.lower {
		text = strings.ToLower(text)
	}
	if text == "" {
		return "", foreign
	}
	return text, fits
}

// words turns a vendor's word into the target's.
func (s *scratch) words(f *field, d datum) (datum, outcome) {
	word, _ := d.text()
	if contains(f.absent, word) {
		return d, absent
	}
	if to, ok := f.translate(word); ok {
		s.lossy = s.lossy || f.folded[word] || f.values[word] == "" && to != word
		d, _ = coerce(stringDatum(to), f.to.typ)
		word = to
	}
	if f.only != nil && !contains(f.only, word) {
		return d, foreign
	}
	if f.to.closed != nil && !contains(f.to.closed, word) {
		s.tally.left(leftClosed)
		return d, foreign
	}
	return d, fits
}

func (f *field) translate(word string) (string, bool) {
	if to, ok := f.values[word]; ok {
		return to, true
	}
	for _, p := range f.starts {
		if strings.HasPrefix(word, p.prefix) {
			return p.word, true
		}
	}
	return "", false
}
