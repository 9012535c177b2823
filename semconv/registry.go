package semconv

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed agents.yaml app.yaml core.yaml snapshots/*.yaml dialects/*.yaml
var files embed.FS

// Attribute describes one key.
type Attribute struct {
	Key     string   `yaml:"key"`
	Type    string   `yaml:"type"`   // string, int, double, boolean, string[], any, template
	Values  []string `yaml:"values"` // named values; closed for app.*, open for a snapshot
	Content bool     `yaml:"content"`
	Person  bool     `yaml:"person"`
	Core    bool     `yaml:"core"` // in a snapshot: a core convention's key that it refers to
	Brief   string   `yaml:"brief"`
}

// Group is a heading of a registry.
type Group struct {
	Name       string      `yaml:"name"`
	Brief      string      `yaml:"brief"`
	Attributes []Attribute `yaml:"attributes"`
}

// OwnMetric describes one metric that goes out with the telemetry of agents.
type OwnMetric struct {
	Name       string `yaml:"name"`
	Instrument string `yaml:"instrument"` // counter or histogram
	Unit       string `yaml:"unit"`       // UCUM
	Brief      string `yaml:"brief"`
}

// Registry is a list of attributes, events and metrics under headings.
type Registry struct {
	Registry string  `yaml:"registry"`
	Groups   []Group `yaml:"groups"`
	Events   []struct {
		Name  string `yaml:"name"`
		Brief string `yaml:"brief"`
	} `yaml:"events"`
	Metrics []OwnMetric `yaml:"metrics"`
}

// Metric returns the metric of a name, which must be there.
func (r *Registry) Metric(name string) OwnMetric {
	i := slices.IndexFunc(r.Metrics, func(m OwnMetric) bool { return m.Name == name })
	return r.Metrics[i]
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
