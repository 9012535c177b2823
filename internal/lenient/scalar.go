package lenient

import (
	"bytes"
	"encoding/base64"
)

// scalar reads a value that is not a message.
func (w *walker) scalar(f *field, at member) bool {
	switch f.kind {
	case text:
		return w.text()
	case boolean:
		return w.boolean()
	case natural32:
		return w.integer(32, false)
	case natural64:
		return w.integer(64, false)
	case integer32:
		return w.integer(32, true)
	case integer64:
		return w.integer(64, true)
	case double:
		return w.double()
	case enum:
		return w.enum(f.names)
	case base64Bytes:
		return w.bytes()
	case id16:
		return w.id(16)
	case id8:
		return w.id(8)
	case mendedBool:
		return w.mendedBool()
	case mendedInt:
		return w.mendedInt(f, at)
	case mendedDouble:
		return w.mendedDouble(at)
	default:
		panic("a field of no kind")
	}
}

func (w *walker) text() bool {
	switch w.next() {
	case '"':
		_, _, ok := w.quoted()
		return ok
	case 'n':
		return w.rest("ull")
	default:
		return w.value("must be a string")
	}
}

const wantBool = "must be true or false"

func (w *walker) boolean() bool {
	switch w.next() {
	case 't':
		return w.rest("rue")
	case 'f':
		return w.rest("alse")
	default:
		return w.value(wantBool)
	}
}

func (w *walker) enum(names map[string]bool) bool {
	switch c := w.next(); {
	case c == '"':
		raw, escaped, ok := w.quoted()
		if !ok {
			return false
		}
		if escaped {
			raw = w.unescaped(raw)
		}
		if !names[string(raw)] {
			return w.value("must be a number or one of the names of the enum")
		}
		return true
	case c == '-' || isDigit(c):
		return w.bareInteger(c, 32, true)
	default:
		return w.value("must be a number or one of the names of the enum")
	}
}

// verbatim reads a string up to the next quote, as the decoder reads ids and bytes:
// without regard to escapes.
func (w *walker) verbatim() (raw []byte, ok bool) {
	n := bytes.IndexByte(w.buf[w.pos:], '"')
	if n < 0 {
		w.pos = len(w.buf)
		return nil, w.syntax("must have an end of the string")
	}
	raw = w.buf[w.pos : w.pos+n]
	w.pos += n + 1
	return raw, true
}

func (w *walker) bytes() bool {
	if w.next() != '"' {
		return w.value("must be a string in base64")
	}
	raw, ok := w.verbatim()
	if !ok {
		return false
	}
	w.scratch = append(w.scratch[:0], raw...)
	if _, err := base64.StdEncoding.Decode(w.scratch, w.scratch); err != nil {
		return w.value("must be a string in base64")
	}
	return true
}
