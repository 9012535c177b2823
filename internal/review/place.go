package review

import (
	"net/url"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// tracePrefix marks the id of a run that names no task.
const tracePrefix = "trace:"

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

// Segment is an id as one part of a path. "." and ".." would be taken for folders.
func Segment(id string) string {
	if strings.Trim(id, ".") == "" {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// TaskPlace is where a run is reviewed; id is a task or a trace.
func TaskPlace(tenant, id string) string {
	return with("/tasks/"+Segment(strings.TrimPrefix(id, tracePrefix)), tenant)
}

// TracePlace is where a trace is shown as a waterfall.
func TracePlace(tenant, trace string) string { return with("/traces/"+Segment(trace), tenant) }

// StepPlace is where a step is shown.
func StepPlace(tenant, trace, span string) string {
	if trace == "" || span == "" {
		return ""
	}
	return with("/traces/"+Segment(trace)+"/spans/"+Segment(span), tenant)
}

// SessionPlace is where a session is shown.
func SessionPlace(tenant, id string) string { return with("/sessions/"+Segment(id), tenant) }

// GraphPlace is where the agents of a run are drawn.
func GraphPlace(tenant, id string) string {
	return with("/tasks/"+Segment(strings.TrimPrefix(id, tracePrefix))+"/graph", tenant)
}

// ReportPlace is where a report is had as a file; format is markdown or json.
func ReportPlace(tenant, id, format string) string {
	return with("/tasks/"+Segment(strings.TrimPrefix(id, tracePrefix))+"/report", tenant, "format", format)
}

// ComparePlace is where two attempts stand side by side.
func ComparePlace(tenant, id, left, right string) string {
	return with("/tasks/"+Segment(strings.TrimPrefix(id, tracePrefix))+"/compare", tenant, "left", left, "right", right)
}

func stepPlace(s *evidence.Step) string {
	return StepPlace(s.Span.Tenant, s.Span.ID.Trace.String(), s.Span.ID.Span.String())
}
