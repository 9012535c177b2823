package semconv

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// DefaultSnapshot is the convention that telemetry is mapped to unless a
// configuration names another one.
const DefaultSnapshot = "genai-2026-08-15"

//go:embed app.yaml core.yaml snapshots/*.yaml dialects/*.yaml
var files embed.FS

// Attribute describes one key.
type Attribute struct {
	Key     string   `yaml:"key"`
	Type    string   `yaml:"type"`   // string, int, double, boolean, string[], any, template
	Values  []string `yaml:"values"` // named values; closed for app.*, open for a snapshot
	Content bool     `yaml:"content"`
	Person  bool     `yaml:"person"`
	Brief   string   `yaml:"brief"`
}

// Group is a heading of a registry.
type Group struct {
	Name       string      `yaml:"name"`
	Brief      string      `yaml:"brief"`
	Attributes []Attribute `yaml:"attributes"`
}

// Registry is a list of attributes and event names under headings.
type Registry struct {
	Registry string  `yaml:"registry"`
	Groups   []Group `yaml:"groups"`
	Events   []struct {
		Name  string `yaml:"name"`
		Brief string `yaml:"brief"`
	} `yaml:"events"`
}

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

// Rename is a key of an earlier convention and its successor.
type Rename struct {
	From   string            `yaml:"from"`
	To     string            `yaml:"to"`
	Values map[string]string `yaml:"values"`
}

// Snapshot is one pinned GenAI convention.
type Snapshot struct {
	Name       string      `yaml:"snapshot"`
	Commit     string      `yaml:"commit"`
	SchemaURL  string      `yaml:"schema_url"`
	Operations []Operation `yaml:"operations"`
	Attributes []Attribute `yaml:"attributes"`
	Spans      []struct {
		Span   string `yaml:"span"`
		Kind   string `yaml:"kind"`
		Levels `yaml:",inline"`
	} `yaml:"spans"`
	Metrics []struct {
		Metric     string    `yaml:"metric"`
		Instrument string    `yaml:"instrument"`
		Unit       string    `yaml:"unit"`
		Value      string    `yaml:"value"`
		Buckets    []float64 `yaml:"buckets"`
		Levels     `yaml:",inline"`
	} `yaml:"metrics"`
	Events []struct {
		Event  string `yaml:"event"`
		Signal string `yaml:"signal"`
		Levels `yaml:",inline"`
	} `yaml:"events"`
	Renamed []Rename    `yaml:"renamed"`
	Retired []Attribute `yaml:"retired"`
}

// LoadSnapshot returns the named snapshot. The error lists the known names.
func LoadSnapshot(name string) (*Snapshot, error) {
	for _, known := range SnapshotNames() {
		if known == name {
			return load[Snapshot]("snapshots/" + name + ".yaml")
		}
	}
	return nil, fmt.Errorf("snapshot %q is not known; known are %s", name, strings.Join(SnapshotNames(), ", "))
}

// SnapshotNames lists the snapshots in the binary, sorted.
func SnapshotNames() []string {
	entries, _ := fs.ReadDir(files, "snapshots")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// App returns the project's own registry, Core the core names beside it.
// Callers share the value and do not change it.
var (
	App  = sync.OnceValue(func() *Registry { return must(load[Registry]("app.yaml")) })
	Core = sync.OnceValue(func() *Registry { return must(load[Registry]("core.yaml")) })
)

// DialectFiles returns the embedded dialect files by base name without
// extension.
func DialectFiles() map[string][]byte {
	entries, _ := fs.ReadDir(files, "dialects")
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		b, err := files.ReadFile(path.Join("dialects", e.Name()))
		if err == nil {
			out[strings.TrimSuffix(e.Name(), ".yaml")] = b
		}
	}
	return out
}

func load[T any](name string) (*T, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	v := new(T)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// must is for files inside the binary: a test loads each of them.
func must[T any](v *T, err error) *T {
	if err != nil {
		panic(err)
	}
	return v
}
