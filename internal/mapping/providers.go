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

// behind is the word of prefixes that say only who passes a call on.
const behind = "behind"

func (p providerPrefixes) of(model string) string {
	word, prefix := p.first(model)
	for passed := 0; word == behind && passed < maxBehind; passed++ {
		model = strings.TrimPrefix(model, prefix)
		word, prefix = p.first(model)
	}
	if word == behind {
		return ""
	}
	return word
}

// maxBehind bounds the gateways that one model's id may name.
const maxBehind = 4

func (p providerPrefixes) first(model string) (word, prefix string) {
	for _, e := range p {
		if strings.HasPrefix(model, e.prefix) {
			return e.word, e.prefix
		}
	}
	return "", ""
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
