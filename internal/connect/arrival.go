package connect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Arrival is what of one dialect and service is kept since a time.
type Arrival struct {
	Dialect string // "" for what no dialect knows
	Service string
	Version string
	First   string // name of the earliest event or span
	At      int64  // its time
	Trace   evidence.TraceID
	Spans   int // its own, and those that its records became
	Records int // those that name a trace or a task
}

// Arrivals looks at runs for what came at or after since, in Unix nanoseconds. The
// earliest is first. What no dialect mapped is among it, under its service.
func Arrivals(runs []evidence.Run, since int64) []Arrival {
	found := map[[2]string]*Arrival{}
	add := func(at int64, dialect, service, version, name string, trace evidence.TraceID) *Arrival {
		k := [2]string{dialect, service}
		a := found[k]
		if a == nil {
			a = &Arrival{Dialect: dialect, Service: service, At: at, First: name, Version: version, Trace: trace}
			found[k] = a
		}
		if at < a.At {
			a.At, a.First = at, name
		}
		a.Version = cmp.Or(a.Version, version)
		if a.Trace == (evidence.TraceID{}) {
			a.Trace = trace
		}
		return a
	}
	for _, run := range runs {
		for i := range run.Records {
			if r := &run.Records[i]; max(r.Time, r.Observed) >= since {
				add(r.Time, r.Attrs.Str(semconv.AppMappingDialect), r.Service, r.ServiceVersion, cmp.Or(r.Event, "a log record"), r.Step.Trace).Records++
			}
		}
		for i := range run.Spans {
			if s := &run.Spans[i]; max(s.Start, s.End) >= since {
				add(s.Start, s.Attrs.Str(semconv.AppMappingDialect), s.Service, s.ServiceVersion, s.Name, s.ID.Trace).Spans++
			}
		}
	}
	out := make([]Arrival, 0, len(found))
	for _, a := range found {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b Arrival) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Dialect, b.Dialect), cmp.Compare(a.Service, b.Service))
	})
	return out
}

// From returns the arrivals of a dialect; any dialect will do if it is empty.
func From(all []Arrival, dialect string) []Arrival {
	return slices.DeleteFunc(slices.Clone(all), func(a Arrival) bool {
		return a.Dialect == "" || dialect != "" && a.Dialect != dialect
	})
}

// MarshalJSON writes the trace as it is named elsewhere, and the time as RFC 3339.
func (a Arrival) MarshalJSON() ([]byte, error) {
	view := struct {
		Dialect string `json:"dialect"`
		Service string `json:"service"`
		Version string `json:"version,omitempty"`
		First   string `json:"first"`
		At      string `json:"at"`
		Trace   string `json:"trace,omitempty"`
		Spans   int    `json:"spans"`
		Records int    `json:"records"`
	}{a.Dialect, a.Service, a.Version, a.First, time.Unix(0, a.At).UTC().Format(time.RFC3339Nano), "", a.Spans, a.Records}
	if a.Trace != (evidence.TraceID{}) {
		view.Trace = a.Trace.String()
	}
	return json.Marshal(view)
}

// String says what arrived on one line.
func (a Arrival) String() string {
	var b strings.Builder
	b.WriteString(cmp.Or(a.Service, "a service without a name"))
	if a.Version != "" {
		b.WriteString(" " + a.Version)
	}
	fmt.Fprintf(&b, " (%s): ", cmp.Or(a.Dialect, "no known dialect"))
	fmt.Fprintf(&b, "%s at %s; kept so far: ", a.First, time.Unix(0, a.At).UTC().Format("15:04:05Z"))
	switch {
	case a.Records == 0: // its records are kept, and counted as the spans that they became
		fmt.Fprintf(&b, "%d spans", a.Spans)
	case a.Spans == 0:
		fmt.Fprintf(&b, "%d log records", a.Records)
	default:
		fmt.Fprintf(&b, "%d spans, %d log records", a.Spans, a.Records)
	}
	return b.String()
}
