package semconv

import (
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// ContentKeys answers whether a key may hold what people or models wrote, or a
// tool's input or output. It is the union of every snapshot, registry and
// embedded dialect: a bare key such as prompt is content for everybody, since a
// record whose dialect is unknown gets no benefit of the doubt.
type ContentKeys struct {
	exact keySet
	plain map[string]bool // listed by a snapshot or registry as not content
	under keySet          // everything below key + "."
	wild  []wildKey
}

// wildKey is a key with one segment that may be any name.
type wildKey struct{ prefix, suffix string }

// anySegment stands for the segment of a wildKey in a dialect's list.
const anySegment = ".?."

func (w wildKey) match(key string) bool {
	mid, ok := strings.CutPrefix(key, w.prefix)
	if !ok {
		return false
	}
	mid, ok = strings.CutSuffix(mid, w.suffix)
	return ok && mid != "" && !strings.Contains(mid, ".")
}

// PersonKeys answers whether a key holds the id of a person or an account.
type PersonKeys struct{ exact keySet }

// KnownKeys answers whether a key is in a snapshot or registry with a value
// that is text and no content. What a key of nobody's holds is not known.
type KnownKeys struct {
	text  map[string]bool // false: the values are words of a list
	under keySet          // everything below key + "."
}

// Content returns the content keys, Person the person keys, Known the keys of
// plain text. All are built once and are safe for concurrent use.
var (
	Known   = sync.OnceValue(func() *KnownKeys { return newKnownKeys(vocabulary()) })
	Content = sync.OnceValue(func() *ContentKeys { return newContentKeys(vocabulary()) })
	Person  = sync.OnceValue(func() *PersonKeys { return newPersonKeys(vocabulary()) })
)

// PersonKey is Person().Match(key).
func PersonKey(key string) bool { return Person().Match(key) }

// Match reports whether the key is content. It does not allocate.
func (c *ContentKeys) Match(key string) bool {
	if c.exact.has(key) {
		return true
	}
	if c.plain[key] {
		return false
	}
	for _, w := range c.wild {
		if w.match(key) {
			return true
		}
	}
	return c.under.hasParentOf(key)
}

// Match reports whether the key holds a person's id. It does not allocate.
func (p *PersonKeys) Match(key string) bool { return p.exact.has(key) }

// Match reports whether the key is known to hold text that is no content, and
// whether that text is free: not a word of a list. It does not allocate.
func (k *KnownKeys) Match(key string) (known, free bool) {
	if free, known = k.text[key]; known {
		return true, free
	}
	known = k.under.hasParentOf(key)
	return known, known
}

// DialectContent is the part of a dialect file that names its content and its
// people; package internal/mapping reads the rest of the file.
type DialectContent struct {
	Content struct {
		Keys     []string `yaml:"keys"`
		Prefixes []string `yaml:"prefixes"` // each ends with a dot
	} `yaml:"content"`
	Person []string `yaml:"person"`
}

type vocab struct {
	attributes []Attribute
	retired    []Attribute
	renamed    []Rename
	dialects   []DialectContent
}

func vocabulary() vocab {
	var v vocab
	for _, name := range SnapshotNames() {
		s := must(LoadSnapshot(name))
		v.attributes = append(v.attributes, s.Attributes...)
		v.retired = append(v.retired, s.Retired...)
		v.renamed = append(v.renamed, s.Renamed...)
	}
	for _, r := range []*Registry{App(), Core()} {
		for _, g := range r.Groups {
			v.attributes = append(v.attributes, g.Attributes...)
		}
	}
	for name, file := range DialectFiles() {
		var d DialectContent
		if err := yaml.Unmarshal(file, &d); err != nil {
			panic(fmt.Errorf("dialects/%s.yaml: %w", name, err)) // a test loads each file
		}
		v.dialects = append(v.dialects, d)
	}
	return v
}

func newContentKeys(v vocab) *ContentKeys {
	c := &ContentKeys{exact: keySet{}, plain: map[string]bool{}, under: keySet{}}
	for _, a := range append(v.attributes, v.retired...) {
		switch {
		case !a.Content:
			c.plain[a.Key] = true
			continue
		case a.Type == "template":
			c.under.add(a.Key)
		}
		c.exact.add(a.Key)
	}
	for _, a := range v.retired {
		if a.Content {
			c.under.add(a.Key)
		}
	}
	for _, d := range v.dialects {
		for _, k := range d.Content.Keys {
			if before, after, ok := strings.Cut(k, anySegment); ok {
				c.wild = append(c.wild, wildKey{before + ".", "." + after})
				continue
			}
			c.exact.add(k)
		}
		for _, p := range d.Content.Prefixes {
			c.under.add(p[:len(p)-1])
		}
	}
	return c
}

// newKnownKeys takes only keys whose type is text: a text under a key that wants
// a number is not what the key is known for.
func newKnownKeys(v vocab) *KnownKeys {
	k := &KnownKeys{text: map[string]bool{}, under: keySet{}}
	for _, a := range append(v.attributes, v.retired...) {
		switch {
		case a.Content || a.Person:
		case a.Type == "string" || a.Type == "string[]":
			k.text[a.Key] = len(a.Values) == 0
		case a.Type == "template":
			k.under.add(a.Key)
		}
	}
	for _, r := range v.renamed {
		if free, known := k.text[r.To]; known {
			k.text[r.From] = free
		}
	}
	return k
}

func newPersonKeys(v vocab) *PersonKeys {
	p := &PersonKeys{exact: keySet{}}
	for _, a := range v.attributes {
		if a.Person {
			p.exact.add(a.Key)
		}
	}
	for _, d := range v.dialects {
		for _, k := range d.Person {
			p.exact.add(k)
		}
	}
	return p
}
