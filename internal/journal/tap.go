package journal

import (
	"bytes"
	"io"
)

// Tap passes bytes on to a writer as they come, and every line of them, once it is
// complete, to keep before its end is passed on: who answers it comes later. What keep
// is given is valid until it returns. A line that is too long is nil.
type Tap struct {
	To   io.Writer
	Keep func(said []byte)

	begun []byte
	long  bool // the line that was begun is too long to be kept
}

func (t *Tap) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if t.long = t.long || len(t.begun)+len(part) > MaxLine; t.long {
			t.begun = t.begun[:0]
		} else {
			t.begun = append(t.begun, part...)
		}
		if !ended {
			break
		}
		switch {
		case t.long:
			t.Keep(nil)
		case len(bytes.TrimSpace(t.begun)) > 0:
			t.Keep(t.begun)
		}
		t.begun, t.long = t.begun[:0], false
	}
	return t.To.Write(p)
}
