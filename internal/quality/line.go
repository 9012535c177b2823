package quality

import (
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// resourceKeys are true of a whole process: they go into its environment.
var resourceKeys = map[string]string{
	semconv.AppHarnessVersion: "app.harness.name=NAME,app.harness.version=VERSION",
	semconv.AppHarnessName:    "app.harness.name=NAME,app.harness.version=VERSION",
}

// Line returns what to paste to state an attribute: a variable for the
// environment of the process, else a statement for the place in the code where
// it is known. Names in capitals are to be replaced.
func Line(key string) string {
	if v := resourceKeys[key]; v != "" {
		return fmt.Sprintf("export OTEL_RESOURCE_ATTRIBUTES=%q", v)
	}
	switch key {
	case semconv.AppSamplingIncomplete:
		return "processors: {tailpolicy: {baseline: {ratio: 1}}}  # where the spans were dropped"
	case "parent_span_id", "span_id", "links.to":
		return "inject(headers)  # opentelemetry.propagate: hand the trace context on to what you call"
	}
	value, note := placeholder(key), ""
	switch a := attribute(key); {
	case len(a.Values) > 0:
		note = "  # " + strings.Join(a.Values, ", ")
	case a.Type == "string[]":
		value = "[" + value + "]"
	}
	return fmt.Sprintf("span.set_attribute(%q, %s)%s", key, value, note)
}

func attribute(key string) semconv.Attribute {
	for _, g := range semconv.App().Groups {
		for _, a := range g.Attributes {
			if a.Key == key {
				return a
			}
		}
	}
	return semconv.Attribute{}
}

func placeholder(key string) string {
	parts := strings.Split(key, ".")
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return strings.ToUpper(strings.Join(parts, "_"))
}
