package lenient

import "strconv"

// Repair mends the body of a signal's export request. Fixed is the body itself if
// nothing was mended, and a copy otherwise; it always decodes. The error is a
// *Fault, and then there is nothing fixed. More than maxNesting open objects and
// arrays are a fault.
func Repair(signal Signal, body []byte, maxNesting int) (fixed []byte, counts Counts, err error) {
	w := walker{buf: body, max: maxNesting}
	if !w.message(roots[signal]) {
		fault := w.fault
		fault.Path = pathOf(w.path)
		return nil, Counts{}, &fault
	}
	if w.out == nil {
		return body, w.counts, nil
	}
	return append(w.out, body[w.copied:]...), w.counts, nil
}

// walker is a walk over one body. Functions that read report whether to go on.
type walker struct {
	buf    []byte
	pos    int // of the next byte
	depth  int
	max    int
	counts Counts

	out    []byte // the mended body up to copied; nil as long as nothing is mended
	copied int

	fault   Fault
	path    []string // steps to the fault, innermost first
	scratch []byte   // a string without its escapes
}

// member is where a key and what is before it are written.
type member struct {
	lead  int // the brace or comma before the key
	start int // the key's opening quote
	colon int // the colon after it
}

// message reads what stands for a message: an object or null. Like the decoder it
// also ends at an empty key.
func (w *walker) message(m *message) bool {
	if w.depth++; w.depth > w.max {
		return w.tooDeep()
	}
	for guess := 0; ; guess++ {
		var at member
		switch w.next() {
		case '{':
			at.lead = w.pos - 1
			switch w.next() {
			case '"':
			case '}':
				w.depth--
				return true
			default:
				return w.syntax("must have a key or } after {")
			}
		case ',':
			at.lead = w.pos - 1
			switch w.next() {
			case '"':
			case 'n':
				w.depth--
				return w.rest("ull") && w.colon()
			default:
				return w.syntax("must have a key after the comma")
			}
		case '}':
			w.depth--
			return true
		case 'n':
			w.depth--
			return w.rest("ull")
		default:
			return w.syntax("must be an object, and its fields must be apart by commas")
		}
		at.start = w.pos - 1
		f := m.likely(w.buf[w.pos:], guess)
		if f != nil && w.begins(f.after) {
			guess = f.index
			at.colon = w.pos - 1
		} else {
			name, escaped, ok := w.quoted()
			if !ok || !w.colon() {
				return false
			}
			at.colon = w.pos - 1
			if len(name) == 0 {
				w.depth--
				return true
			}
			if escaped {
				name = w.unescaped(name)
			}
			if f = m.find(name); f != nil {
				guess = f.index
			}
		}
		switch {
		case f == nil:
			if !w.skip() {
				return w.step(".*")
			}
		case f.list:
			if !w.list(f) {
				return w.step(f.step)
			}
		case f.kind == nested:
			if !w.message(f.inner) {
				return w.step(f.step)
			}
		default:
			if !w.scalar(f, at) {
				return w.step(f.step)
			}
		}
	}
}

// begins reads s if it comes next.
func (w *walker) begins(s string) bool {
	if len(w.buf)-w.pos < len(s) || string(w.buf[w.pos:w.pos+len(s)]) != s {
		return false
	}
	w.pos += len(s)
	return true
}

func (w *walker) colon() bool {
	if w.next() != ':' {
		return w.syntax("must have a colon after the key")
	}
	return true
}

// list reads an array or null.
func (w *walker) list(f *field) bool {
	if w.depth++; w.depth > w.max {
		return w.tooDeep()
	}
	for i := 0; ; i++ {
		switch w.next() {
		case '[':
			switch c := w.next(); {
			case c == ']':
				w.depth--
				return true
			case c == 0:
				return w.syntax("must have a value or ] after [")
			}
			w.pos--
		case ',':
		case ']':
			w.depth--
			return true
		case 'n':
			w.depth--
			return w.rest("ull")
		default:
			return w.syntax("must be an array, and its values must be apart by commas")
		}
		ok := false
		if f.kind == nested {
			ok = w.message(f.inner)
		} else {
			ok = w.scalar(f, member{})
		}
		if !ok {
			return w.step("[" + strconv.Itoa(i) + "]")
		}
	}
}

// mend puts text in place of a part of the body. Parts come in order.
func (w *walker) mend(k Kind, from, to int, text string) {
	w.counts[k]++
	w.replace(from, to, text)
}

func (w *walker) replace(from, to int, text string) {
	if w.out == nil {
		w.out = make([]byte, 0, len(w.buf)+64)
	}
	w.out = append(append(w.out, w.buf[w.copied:from]...), text...)
	w.copied = to
}

// step notes where a fault is.
func (w *walker) step(s string) bool {
	w.path = append(w.path, s)
	return false
}

func (w *walker) syntax(want string) bool { return w.refuse(Syntax, want) }

func (w *walker) value(want string) bool { return w.refuse(Value, want) }

func (w *walker) tooDeep() bool {
	return w.refuse(Nesting, "must not nest objects and arrays deeper than "+strconv.Itoa(w.max)+" levels")
}

func (w *walker) refuse(r Reason, want string) bool {
	w.fault = Fault{Reason: r, Offset: w.pos, Want: want}
	return false
}
