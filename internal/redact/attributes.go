package redact

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

const attributeFile = "attributes.yaml"

// keyPatterns are keys and, where one ends in ".*", all keys below.
type keyPatterns struct {
	exact map[string]bool
	under []string // each ends with a dot
}

func (k *keyPatterns) match(key string) bool {
	if k.exact[key] {
		return true
	}
	for _, p := range k.under {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

func newKeyPatterns(list []string) keyPatterns {
	k := keyPatterns{exact: map[string]bool{}}
	for _, p := range list {
		if under, ok := strings.CutSuffix(p, "*"); ok {
			k.under = append(k.under, under)
			continue
		}
		k.exact[p] = true
	}
	return k
}

// validatePattern says what is wrong with a key or prefix.* of the user's.
func validatePattern(p string) error {
	name := strings.TrimSuffix(p, ".*")
	if name == "" || strings.ContainsAny(name, "* \t\r\n") {
		return fmt.Errorf("must be a key or a prefix that ends in .*, found %q", p)
	}
	return nil
}

// attributeRules are rules/attributes.yaml.
type attributeRules struct {
	Plain   []string `yaml:"plain"`
	Named   []string `yaml:"named"`
	Words   []string `yaml:"words"`
	Content []string `yaml:"content"`

	plain, named, words, content keyPatterns
}

var loadAttributeRules = sync.OnceValues(func() (*attributeRules, error) {
	b, err := ruleFiles.ReadFile("rules/" + attributeFile)
	if err != nil {
		return nil, err
	}
	a := &attributeRules{}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(a); err != nil {
		return nil, fmt.Errorf("rules/%s: %w", attributeFile, err)
	}
	for _, list := range [][]string{a.Plain, a.Named, a.Words, a.Content} {
		for _, p := range list {
			if err := validatePattern(p); err != nil {
				return nil, fmt.Errorf("rules/%s: %w", attributeFile, err)
			}
		}
	}
	a.plain, a.named = newKeyPatterns(a.Plain), newKeyPatterns(a.Named)
	a.words, a.content = newKeyPatterns(a.Words), newKeyPatterns(a.Content)
	return a, nil
})
