package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v indented. Runes that Inert would replace are written as
// escapes: the value is the same and a terminal stays still. A list of nothing is [],
// not null.
func WriteJSON(w io.Writer, v any) error {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []struct{}{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escape(b.Bytes()))
	return err
}

// escape rewrites what is not inert in JSON text. Such runes stand only inside
// strings: outside of them JSON is ASCII, and a newline is layout.
func escape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r != utf8.RuneError && Inert(string(r)) == string(r):
			out = append(out, text[:n]...)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}
