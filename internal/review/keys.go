package review

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Keys counts attribute keys that no convention has: what the mapping left as it
// was.
type Keys struct{ count map[[2]string]int }

// Unmapped is one such key.
type Unmapped struct {
	Service string `json:"service"`
	Key     string `json:"key"`
	Spans   int    `json:"spans"`
}

// maxUnmapped is how many keys are told.
const maxUnmapped = 40

// maxKinds bounds what is remembered.
const maxKinds = 5000

// Add counts the keys of a run.
func (k *Keys) Add(run *evidence.Run) {
	if k.count == nil {
		k.count = map[[2]string]int{}
	}
	for i := range run.Spans {
		s := &run.Spans[i]
		for key := range s.Attrs {
			if known(key) {
				continue
			}
			name := [2]string{s.Service, key}
			if _, there := k.count[name]; there || len(k.count) < maxKinds {
				k.count[name]++
			}
		}
	}
}

// known reports whether a key is of a convention that reviews read, or of the
// general ones that describe a process or a request.
func known(key string) bool {
	first, _, _ := strings.Cut(key, ".")
	switch first {
	case "app", "gen_ai", "mcp", "error", "http", "url", "server", "client", "network", "rpc", "db", "code", "exception", "user_agent", "thread", "service", "session", "user", "enduser", "jsonrpc":
		return true
	}
	return key == semconv.TenantID
}

// Unmapped returns the keys, the most frequent first.
func (k *Keys) Unmapped() []Unmapped {
	out := make([]Unmapped, 0, len(k.count))
	for name, n := range k.count {
		out = append(out, Unmapped{name[0], name[1], n})
	}
	slices.SortFunc(out, func(a, b Unmapped) int {
		return cmp.Or(cmp.Compare(b.Spans, a.Spans), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Key, b.Key))
	})
	return out[:min(len(out), maxUnmapped)]
}
