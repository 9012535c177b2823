package presets

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"gopkg.in/yaml.v3"
)

// Scheme is the scheme that the provider serves.
const Scheme = "preset"

// journals is the first part of the names of presets that only add to agent: each
// reads the journals of one program.
const journals = "journals/"

// Default is the configuration that runs when none is named.
const Default = Scheme + ":agent"

//go:embed *.yaml journals/*.yaml
var files embed.FS

// Settings is what the provider needs of the world.
type Settings struct {
	Getenv   func(string) string          // reads the environment
	ReadFile func(string) ([]byte, error) // reads files that the environment names
}

// NewFactory returns the factory of the provider.
func NewFactory(set Settings) confmap.ProviderFactory {
	return confmap.NewProviderFactory(func(confmap.ProviderSettings) confmap.Provider {
		return provider{set}
	})
}

// Names lists the presets in the binary, sorted.
func Names() []string {
	var names []string
	_ = fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".yaml"); ok && err == nil && !strings.Contains(name, "+") {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names
}

type provider struct{ set Settings }

func (provider) Scheme() string                 { return Scheme }
func (provider) Shutdown(context.Context) error { return nil }

// Retrieve returns the preset that uri names with the overlays that the
// environment asks for.
func (p provider) Retrieve(_ context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	name, ok := strings.CutPrefix(uri, Scheme+":")
	if !ok {
		return nil, fmt.Errorf("%q does not begin with %q", uri, Scheme+":")
	}
	var layers []string
	var own map[string]any
	var err error
	switch name {
	case "agent":
		layers, own, err = agent(p.set)
	case "gateway":
		layers, own, err = gateway(p.set)
	default:
		if !strings.HasPrefix(name, journals) || !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("preset %q is not known; known are %s", name, strings.Join(Names(), ", "))
		}
		var m map[string]any
		if m, err = load(name); err == nil {
			own, err = journal(m, p.set)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("preset:%s: %w", name, err)
	}
	merged := confmap.New()
	for _, layer := range append([]string{name}, layers...) {
		m, err := load(layer)
		if err != nil {
			return nil, err
		}
		if err := merged.Merge(confmap.NewFromStringMap(m)); err != nil {
			return nil, fmt.Errorf("%s.yaml: %w", layer, err)
		}
	}
	if err := merged.Merge(confmap.NewFromStringMap(own)); err != nil {
		return nil, err
	}
	return confmap.NewRetrieved(merged.ToStringMap())
}

func load(name string) (map[string]any, error) {
	b, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := yaml.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s.yaml: %w", name, err)
	}
	return m, nil
}
