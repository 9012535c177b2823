package mapping

import (
	_ "embed"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed providers.yaml
var providersYAML []byte

// providerPrefixes are the prefixes of model ids, the longest first.
type providerPrefixes []prefixWord

func (p providerPrefixes) of(model string) string {
	for _, e := range p {
		if strings.HasPrefix(model, e.prefix) {
			return e.word
		}
	}
	return ""
}

func builtinProviders() (providerPrefixes, error) {
	r := &reader{file: "providers.yaml"}
	var doc yaml.Node
	if err := yaml.Unmarshal(providersYAML, &doc); err != nil {
		return nil, err
	}
	var out providerPrefixes
	r.entries(doc.Content[0], "providers", func(word string, _, v *yaml.Node) {
		for _, prefix := range r.texts(v, word) {
			out = append(out, prefixWord{prefix, word})
		}
	})
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].prefix) > len(out[j].prefix) })
	return out, r.err()
}
