package evidence

import (
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// CountUnknown returns how many records are no canonical domain event. They are
// kept all the same.
func CountUnknown(records []Record) int {
	known, n := canonicalEvents(), 0
	for i := range records {
		if !known[records[i].Event] {
			n++
		}
	}
	return n
}

var canonicalEvents = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{semconv.EventGenAIEvaluationResult: true}
	for _, e := range semconv.App().Events {
		known[e.Name] = true
	}
	return known
})
