package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// referenceKeys are the keys under which a component names an extension: its storage,
// its authenticator, and one of its middlewares.
var referenceKeys = []string{"storage", "authenticator", "id"}

// unlisted tells which extensions a component that runs needs and service::extensions
// does not list. The collector would say so at the start only, without the key.
func unlisted(conf *confmap.Conf) []error {
	all := conf.ToStringMap()
	service, _ := all["service"].(map[string]any)
	listed := texts(service["extensions"])
	missing := map[string]bool{}
	declared, _ := all["extensions"].(map[string]any)
	for id := range declared {
		missing[id] = !slices.Contains(listed, id)
	}
	running := map[string][]string{"extensions": listed}
	pipelines, _ := service["pipelines"].(map[string]any)
	for _, p := range pipelines {
		pipeline, _ := p.(map[string]any)
		for _, section := range []string{"receivers", "processors", "exporters"} {
			running[section] = append(running[section], texts(pipeline[section])...)
		}
		running["connectors"] = append(running["connectors"], slices.Concat(texts(pipeline["receivers"]), texts(pipeline["exporters"]))...)
	}
	var out []error
	for _, section := range slices.Sorted(maps.Keys(running)) {
		configs, _ := all[section].(map[string]any)
		ids := running[section]
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			references(configs[id], []string{section, id}, func(path []string, extension string) {
				if missing[extension] {
					out = append(out, fmt.Errorf("%s names %s, which service::extensions does not list", strings.Join(path, confmap.KeyDelimiter), extension))
				}
			})
		}
	}
	return out
}

// references visits what may name an extension, in order of the keys.
func references(v any, path []string, visit func([]string, string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			references(v[key], append(path[:len(path):len(path)], key), visit)
		}
	case []any:
		for i, item := range v {
			references(item, append(path[:len(path):len(path)], strconv.Itoa(i)), visit)
		}
	case string:
		if slices.Contains(referenceKeys, path[len(path)-1]) {
			visit(path, v)
		}
	}
}

// texts returns the texts of a list.
func texts(v any) []string {
	items, _ := v.([]any)
	var out []string
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
