package preview

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
)

// chunk is how much of a text is judged at a time, at most: what one value may
// be long. It ends with a line.
const chunk = redact.DefaultMaxValueBytes

// Read reads an input to its end. No error holds any of it.
// The policy is for this alone: it tells keys from here on.
func Read(p *redact.Policy, in io.Reader) (Report, error) {
	p.TellKeys()
	r := Report{Findings: []Finding{}, Counts: []Count{}}
	err := read(p, in, &r)
	r.finish()
	return r, err
}

func read(p *redact.Policy, in io.Reader, r *Report) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if head, _ := buffered.Peek(2); string(head) == "\xff\xfe" || string(head) == "\xfe\xff" {
		return errors.New("the input must be UTF-8, found the mark of UTF-16; run: iconv -f UTF-16 -t UTF-8")
	}
	if !startsObject(buffered) {
		r.Doubt = doubt(buffered)
		return readText(p, buffered, r)
	}
	var seen bytes.Buffer
	dec := json.NewDecoder(io.TeeReader(buffered, &seen))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil || !apply(p, value, r) {
		r.Doubt = doubt(bufio.NewReaderSize(bytes.NewReader(seen.Bytes()), 64<<10))
		return readText(p, io.MultiReader(&seen, buffered), r)
	}
	r.Format = OTLP
	for n := 2; ; n++ {
		seen.Reset() // not wanted any more
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || !apply(p, value, r) {
			return fmt.Errorf("value %d of the input must be an OTLP/JSON request like those before it", n)
		}
	}
}

// startsObject reports whether the first character that is no white space opens
// a JSON object.
func startsObject(b *bufio.Reader) bool {
	for n := 1; n <= b.Size(); n++ {
		head, err := b.Peek(n)
		if err != nil {
			return false
		}
		switch head[n-1] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return true
		default:
			return false
		}
	}
	return false
}

// apply counts what the policy replaces in an OTLP/JSON request, and answers
// false if the value is none.
func apply(p *redact.Policy, value json.RawMessage, r *Report) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(value, &top) != nil {
		return false
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := top[name]; ok {
				return true
			}
		}
		return false
	}
	switch {
	case has("resourceSpans", "resource_spans"):
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(value)
		if err != nil {
			return false
		}
		r.count("traces", p.Traces(td))
	case has("resourceLogs", "resource_logs"):
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(value)
		if err != nil {
			return false
		}
		r.count("logs", p.Logs(ld))
	case has("resourceMetrics", "resource_metrics"):
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(value)
		if err != nil {
			return false
		}
		r.count("metrics", p.Metrics(md))
	case has("resourceProfiles", "resource_profiles"):
		pd, err := (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(value)
		if err != nil {
			return false
		}
		r.count("profiles", p.Profiles(pd))
	default:
		return false
	}
	return true
}

// place is where in a text reading is.
type place struct{ line, column int }

func (at *place) pass(s string) {
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if at.column++; c == '\n' {
			*at = place{at.line + 1, 1}
		}
		i += size
	}
}

// readText judges a text chunk by chunk. A line that is longer than a value may
// be is one finding, as in telemetry.
func readText(p *redact.Policy, in io.Reader, r *Report) error {
	r.Format = Text
	at := place{1, 1}
	buf := make([]byte, 0, chunk)
	for {
		n, err := io.ReadFull(in, buf[len(buf):chunk])
		buf = buf[:len(buf)+n]
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return fmt.Errorf("read the input: %w", err)
		}
		cut := len(buf)
		if !end {
			cut = bytes.LastIndexByte(buf, '\n') + 1
		}
		if cut == 0 && !end {
			rest, more, err := longLine(in)
			if err != nil {
				return fmt.Errorf("read the input: %w", err)
			}
			r.find(Finding{at.line, at.column, len(buf) + more, redact.TooLong.String(), ""})
			at = place{at.line + 1, 1}
			buf = append(buf[:0], rest...)
			continue
		}
		judge(p, string(buf[:cut]), &at, r)
		if end {
			return nil
		}
		buf = buf[:copy(buf, buf[cut:])]
	}
}

// longLine passes over the rest of a line, and returns what it read behind it.
func longLine(in io.Reader) (rest []byte, passed int, err error) {
	part := make([]byte, 32<<10)
	for {
		n, err := in.Read(part)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			return part[i+1 : n], passed + i, nil
		}
		passed += n
		if errors.Is(err, io.EOF) {
			return nil, passed, nil
		}
		if err != nil {
			return nil, passed, err
		}
	}
}

func judge(p *redact.Policy, s string, at *place, r *Report) {
	done := 0
	for _, f := range p.Find(s) {
		at.pass(s[done:f.Start])
		done = f.Start
		r.find(Finding{at.line, at.column, f.End - f.Start, f.Rule, f.Token})
	}
	at.pass(s[done:])
}
