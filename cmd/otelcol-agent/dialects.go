package main

import (
	"context"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper"
	"github.com/otelcol-agent/otelcol-agent/processor/redactor"
)

// newDialectsFactory makes a converter by which every redactor knows the private
// dialects of every genaimapper (ADR-0013). A redactor with dialects of its own
// keeps those, also an empty list.
func newDialectsFactory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter { return dialects{} })
}

type dialects struct{}

func (dialects) Convert(_ context.Context, conf *confmap.Conf) error {
	processors, _ := conf.ToStringMap()["processors"].(map[string]any)
	var files []any
	for _, key := range slices.Sorted(maps.Keys(processors)) {
		if isOf(key, genaimapper.NewFactory().Type()) {
			files = append(files, filesOf(processors[key])...)
		}
	}
	if len(files) == 0 {
		return nil
	}
	told := map[string]any{}
	for key, settings := range processors {
		if !isOf(key, redactor.NewFactory().Type()) {
			continue
		}
		if own, _ := settings.(map[string]any); own["dialects"] == nil {
			told[key] = map[string]any{"dialects": map[string]any{"files": once(files)}}
		}
	}
	return conf.Merge(confmap.NewFromStringMap(map[string]any{"processors": told}))
}

// isOf reports whether a key of a configuration names a component of the type.
func isOf(key string, want component.Type) bool {
	var id component.ID
	return id.UnmarshalText([]byte(key)) == nil && id.Type() == want
}

// filesOf reads dialects.files as it is written; what is wrong with it the
// component itself says.
func filesOf(settings any) []any {
	own, _ := settings.(map[string]any)
	section, _ := own["dialects"].(map[string]any)
	files, _ := section["files"].([]any)
	return files
}

// once leaves out what two mappers both read.
func once(files []any) []any {
	var out []any
	for _, f := range files {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
