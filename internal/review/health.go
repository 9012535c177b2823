package review

import (
	"bufio"
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Health is what the collector's own metrics say of losses and queues.
type Health struct {
	Flow    []Gauge `json:"flow"`    // received, stored, sent
	Losses  []Gauge `json:"losses"`  // dropped, refused, failed, quarantined; zeros are left out
	Queues  []Queue `json:"queues"`  // of exporters
	Process []Gauge `json:"process"` // memory, uptime
}

// Gauge is one figure with its labels.
type Gauge struct {
	Name   string  `json:"name"`
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

// Queue is how full a queue is.
type Queue struct {
	Name     string  `json:"name"`
	Size     float64 `json:"size"`
	Capacity float64 `json:"capacity"`
}

// Share is how full, 0 to 1.
func (q Queue) Share() float64 {
	if q.Capacity <= 0 {
		return 0
	}
	return min(q.Size/q.Capacity, 1)
}

// Words that a metric's name has if it counts what was lost, or what passed.
var (
	lossWords = []string{"dropped", "refused", "failed", "quarantined", "overflow", "evicted", "rejected", "expired", "unknown", "deferred"}
	flowWords = []string{"receiver_accepted", "exporter_sent", "rows_written", "runs_kept", "values_redacted", "spans_mapped", "runs_decided"}
	procWords = []string{"process_uptime", "process_memory_rss", "process_runtime_heap_alloc", "process_cpu_seconds", "database_size"}
)

// maxGauges bounds each list.
const maxGauges = 60

// NewHealth reads metrics in the text form of Prometheus. Lines that it does not
// understand are passed over.
func NewHealth(text []byte) Health {
	h := Health{Flow: []Gauge{}, Losses: []Gauge{}, Queues: []Queue{}, Process: []Gauge{}}
	sizes, capacities := map[string]float64{}, map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, labels, value, ok := metric(lines.Text())
		if !ok || strings.HasSuffix(name, "_bucket") {
			continue
		}
		g := Gauge{strings.TrimPrefix(name, "otelcol_"), labels, value}
		switch {
		case strings.HasSuffix(name, "queue_size"):
			sizes[labels] = value
		case strings.HasSuffix(name, "queue_capacity"):
			capacities[labels] = value
		case hasWord(name, lossWords):
			if value != 0 {
				h.Losses = append(h.Losses, g)
			}
		case hasWord(name, flowWords):
			h.Flow = append(h.Flow, g)
		case hasWord(name, procWords):
			h.Process = append(h.Process, g)
		}
	}
	for labels, size := range sizes {
		h.Queues = append(h.Queues, Queue{labels, size, capacities[labels]})
	}
	slices.SortFunc(h.Queues, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
	for _, list := range []*[]Gauge{&h.Flow, &h.Losses, &h.Process} {
		slices.SortFunc(*list, func(a, b Gauge) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Labels, b.Labels))
		})
		*list = (*list)[:min(len(*list), maxGauges)]
	}
	return h
}

func hasWord(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// Labels that say nothing to a reader: they are the same on every line.
var dullLabels = []string{"service_", "otel_scope_", "job", "instance"}

// metric reads one line: a name, labels in braces, a value.
func metric(line string) (name, labels string, value float64, ok bool) {
	if line == "" || line[0] == '#' {
		return "", "", 0, false
	}
	head, rest := line, ""
	if i := strings.IndexByte(line, '{'); i >= 0 {
		j := strings.LastIndexByte(line, '}')
		if j < i {
			return "", "", 0, false
		}
		head, labels, rest = line[:i], line[i+1:j], line[j+1:]
	} else if i := strings.IndexByte(line, ' '); i >= 0 {
		head, rest = line[:i], line[i:]
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", "", 0, false
	}
	value, err := strconv.ParseFloat(fields[0], 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) { // JSON has no word for those
		return "", "", 0, false
	}
	var keep []string
	for _, l := range strings.Split(labels, ",") {
		if l != "" && !slices.ContainsFunc(dullLabels, func(dull string) bool { return strings.HasPrefix(l, dull) }) {
			keep = append(keep, strings.ReplaceAll(strings.Replace(l, "=", " ", 1), `"`, ""))
		}
	}
	return head, strings.Join(keep, ", "), value, true
}
