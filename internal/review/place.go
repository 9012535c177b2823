package review

import (
	"net/url"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// API is the prefix under which every place of a page is one of the API.
const API = "/api/v1"

// Aside stands in a path for an id that cannot be a part of one: browsers take "."
// and ".." for folders, however they are written, and servers "/". The query has the
// id then.
const Aside = "~"

// with adds a tenant, and other pairs of names and values that are not empty.
func with(path, tenant string, pairs ...string) string {
	q := url.Values{}
	if tenant != "" {
		q.Set("tenant", tenant)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Segment is an id as one part of a path that no browser reads.
func Segment(id string) string {
	if strings.Trim(id, ".") == "" {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// below is an address below the thing of a kind that has an id.
func below(kind, id, rest, tenant string, pairs ...string) string {
	switch id {
	case "", ".", "..", "/":
		return with("/"+kind+"/"+Aside+rest, tenant, append(pairs, "id", id)...)
	}
	return with("/"+kind+"/"+url.PathEscape(id)+rest, tenant, pairs...)
}

// ofTask is below for a task or trace.
func ofTask(id, rest, tenant string, pairs ...string) string {
	if trace, ok := evidence.TaskID(id).Trace(); ok {
		id = trace
	}
	return below("tasks", id, rest, tenant, pairs...)
}

// TaskPlace is where a run is reviewed; id is a task or a trace.
func TaskPlace(tenant, id string) string { return ofTask(id, "", tenant) }

// longest is the most bytes of an id that stands in an address; browsers and proxies
// refuse much longer ones.
const longest = 1024

// runPlace is TaskPlace, by one of the run's traces if the id is too long.
func runPlace(tenant string, id string, trace string) string {
	if len(id) > longest && trace != "" {
		id = trace
	}
	return TaskPlace(tenant, id)
}

// rootPlace is where the run of a report is reviewed.
func rootPlace(rep *evidence.Report) string {
	trace := ""
	if len(rep.Traces) > 0 {
		trace = rep.Traces[0]
	}
	return runPlace(rep.Tenant, rep.RootTaskID, trace)
}

// TracePlace is where a trace is shown as a waterfall.
func TracePlace(tenant, trace string) string { return below("traces", trace, "", tenant) }

// StepPlace is where a step is shown.
func StepPlace(tenant, trace, span string) string {
	if trace == "" || span == "" {
		return ""
	}
	return below("traces", trace, "/spans/"+url.PathEscape(span), tenant)
}

// SessionPlace is where a session is shown, "" for one that no address can name.
func SessionPlace(tenant, id string) string {
	if len(id) > longest {
		return ""
	}
	return below("sessions", id, "", tenant)
}

// GraphPlace is where the agents of a run are drawn.
func GraphPlace(tenant, id string) string { return ofTask(id, "/graph", tenant) }

// ReportPlace is where a report is had as a file; format is markdown or json.
func ReportPlace(tenant, id, format string) string {
	return ofTask(id, "/report", tenant, "format", format)
}

// ComparePlace is where two attempts stand side by side.
func ComparePlace(tenant, id, left, right string) string {
	return ofTask(id, "/compare", tenant, "left", left, "right", right)
}

func stepPlace(s *evidence.Step) string {
	return StepPlace(s.Span.Tenant, s.Span.ID.Trace.String(), s.Span.ID.Span.String())
}
