package semconv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// PrivateKeys are the content and the person keys of dialect files that are not
// in the binary. A nil value holds none.
type PrivateKeys struct {
	content *ContentKeys
	person  *PersonKeys
	all     []string
}

// Private reads these keys out of dialect files; the map key is the file's name
// as it shall appear in errors. What else such a file says is package
// internal/mapping's to check.
func Private(files map[string][]byte) (*PrivateKeys, error) {
	var v vocab
	var errs []error
	var all []string
	for name, file := range files {
		var d DialectContent
		if err := yaml.NewDecoder(bytes.NewReader(file)).Decode(&d); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		for i, p := range d.Content.Prefixes {
			if len(p) < 2 || !strings.HasSuffix(p, ".") {
				errs = append(errs, fmt.Errorf("%s: content.prefixes[%d] must end with a dot, found %q", name, i, p))
			}
		}
		v.dialects = append(v.dialects, d)
		all = slices.Concat(all, d.Content.Keys, d.Content.Prefixes, d.Person)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.Sort(all)
	return &PrivateKeys{newContentKeys(v), newPersonKeys(v), slices.Compact(all)}, nil
}

// Content reports whether a value under the key is content.
func (p *PrivateKeys) Content(key string) bool { return p != nil && p.content.Match(key) }

// Person reports whether a value under the key is a person's id.
func (p *PrivateKeys) Person(key string) bool { return p != nil && p.person.Match(key) }

// Keys lists what the files name, sorted.
func (p *PrivateKeys) Keys() []string {
	if p == nil {
		return nil
	}
	return p.all
}
