package semconv

import (
	"fmt"
	"strings"
	"sync"
)

// DefaultSnapshot is the convention that telemetry is mapped to unless a
// configuration names another one.
const DefaultSnapshot = "genai-2026-08-15"

// Operation says how a span of one gen_ai.operation.name is shaped.
type Operation struct {
	Operation string   `yaml:"operation"`
	Kind      []string `yaml:"kind"` // allowed span kinds, the usual one first
	Name      string   `yaml:"name"` // template of keys in braces
}

// Levels sorts keys by how much a convention wants them.
type Levels struct {
	Required    []string `yaml:"required"`
	Conditional []string `yaml:"conditional"`
	Recommended []string `yaml:"recommended"`
	OptIn       []string `yaml:"opt_in"`
	Sampling    []string `yaml:"sampling"`
}

// Span is one span type. No emitter states the type: it shows in the operation
// and the kind.
type Span struct {
	Span    string `yaml:"span"`
	Refines string `yaml:"refines"` // the type it narrows down; it has that type's kind
	Kind    string `yaml:"kind"`
	Levels  `yaml:",inline"`
}

// Metric is one metric.
type Metric struct {
	Metric     string    `yaml:"metric"`
	Instrument string    `yaml:"instrument"`
	Unit       string    `yaml:"unit"`
	Value      string    `yaml:"value"` // int or double; empty where the model says neither
	Buckets    []float64 `yaml:"buckets"`
	Levels     `yaml:",inline"`
}

// Event is one log event.
type Event struct {
	Event  string `yaml:"event"`
	Signal string `yaml:"signal"` // whether emitters should send it unasked
	Levels `yaml:",inline"`
}

// Entity is something that a resource describes.
type Entity struct {
	Entity      string   `yaml:"entity"`
	Identity    []string `yaml:"identity"`
	Description []string `yaml:"description"`
}

// Snapshot is one pinned GenAI convention. Renamed and Retired are computed
// from the whole chain; the rest is as its file says.
type Snapshot struct {
	Name          string      `yaml:"snapshot"`
	Commit        string      `yaml:"commit"`
	Tag           string      `yaml:"tag"`  // release of the commit, if there is one
	Date          string      `yaml:"date"` // of the commit
	SchemaURL     string      `yaml:"schema_url"`
	Reconstructed bool        `yaml:"reconstructed"` // put together from single changes
	Follows       string      `yaml:"follows"`       // the snapshot before it; empty for the oldest
	Operations    []Operation `yaml:"operations"`
	Attributes    []Attribute `yaml:"attributes"`
	Spans         []Span      `yaml:"spans"`
	Metrics       []Metric    `yaml:"metrics"`
	Events        []Event     `yaml:"events"`
	Entities      []Entity    `yaml:"entities"`
	Aliases       []Rename    `yaml:"aliases"`
	RetiredHere   []Attribute `yaml:"retired"`
	Changes       Changes     `yaml:"changes"` // since Follows

	// Renamed lists every key that another snapshot, or a convention before all
	// of them, has for one of this snapshot's, whatever the record.
	Renamed []Rename `yaml:"-"`
	// Retired lists the keys of earlier conventions that nothing took the place of.
	Retired []Attribute `yaml:"-"`

	index int
	keys  map[string]*Attribute
}

// Attribute returns the snapshot's attribute of that key, or nil.
func (s *Snapshot) Attribute(key string) *Attribute { return s.keys[key] }

// LoadSnapshot returns the named snapshot; callers share the value and do not
// change it. The error lists the known names.
func LoadSnapshot(name string) (*Snapshot, error) {
	for _, s := range Chain() {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("snapshot %q is not known; known are %s", name, strings.Join(SnapshotNames(), ", "))
}

// SnapshotNames lists the snapshots in the binary from the oldest to the newest.
func SnapshotNames() []string {
	names := make([]string, len(Chain()))
	for i, s := range Chain() {
		names[i] = s.Name
	}
	return names
}

// Chain lists the snapshots from the oldest to the newest; each follows the one
// before it.
var Chain = sync.OnceValue(func() []*Snapshot {
	all, err := loadChain()
	if err != nil {
		panic(err) // a test loads it
	}
	return all
})
