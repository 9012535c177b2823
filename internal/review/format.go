package review

import (
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// clock writes Unix nanoseconds as a time of a reader, in UTC.
func clock(ns int64) string {
	if ns == 0 {
		return ""
	}
	return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05")
}

// stamp writes the same for machines.
func stamp(ns int64) string {
	if ns == 0 {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

// offset is how long after the beginning something was.
func offset(ns int64) string {
	if ns < 0 {
		return evidence.Length(ns)
	}
	return "+" + evidence.Length(ns)
}

// took is how long something lasted, "?" where its clock was wrong.
func took(start, end int64) string {
	if end < start {
		return "?"
	}
	return evidence.Length(end - start)
}

// short is the beginning of a long hex id.
func short(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

// spaced is a name of several words as a reader has it.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Number writes a count with thin groups of three.
func Number(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Money writes US dollars, small amounts with more digits; nothing for zero.
func Money(f float64) string {
	switch {
	case f == 0:
		return ""
	case f < 0.01:
		return "$" + strconv.FormatFloat(f, 'f', 4, 64)
	}
	return "$" + strconv.FormatFloat(f, 'f', 2, 64)
}

// nameOf is a step's name, which may be empty.
func nameOf(s *evidence.Step) string {
	if s.Span.Name == "" {
		return "(unnamed)"
	}
	return s.Span.Name
}

// labelOf is a step's name without the operation that it begins with.
func labelOf(s *evidence.Step) string {
	name := nameOf(s)
	if op := s.Span.Attrs.Str(semconv.GenAIOperationName); op != "" {
		if rest, ok := strings.CutPrefix(name, op+" "); ok {
			return rest
		}
	}
	return name
}

// title is a task's name, or its trace.
func title(t evidence.TaskID) string {
	if trace, ok := t.Trace(); ok {
		return "trace " + short(trace)
	}
	return string(t)
}
