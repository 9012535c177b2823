package mapping

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Bounds of a dialect file; a user may supply one.
const (
	maxFileBytes = 1 << 20
	maxDepth     = 24
	maxProblems  = 100
)

// reader walks the nodes of one dialect file and notes every problem with its
// line. Nodes are walked by hand since decoding into structs loses the lines
// that later checks need.
type reader struct {
	file string
	errs []error
}

func (r *reader) fail(line int, format string, args ...any) {
	if len(r.errs) < maxProblems {
		r.errs = append(r.errs, fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// entries calls f for each key of a mapping, in order; a repeated key and a
// node that is no mapping are problems.
func (r *reader) entries(n *yaml.Node, what string, f func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s must be a mapping, found %s", what, yamlKind(n))
		return
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.fail(k.Line, "%s has a key that is no plain text", what)
		case seen[k.Value]:
			r.fail(k.Line, "%s has %q twice", what, k.Value)
		default:
			seen[k.Value] = true
			f(k.Value, k, v)
		}
	}
}

// object is entries with a closed set of keys.
func (r *reader) object(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	r.entries(n, what, func(key string, k, v *yaml.Node) {
		if f, ok := known[key]; ok {
			f(v)
			return
		}
		r.fail(k.Line, "%s has no key %q; known are %s", what, key, strings.Join(sortedKeys(known), ", "))
	})
}

func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n.Line, "%s must be a text, found %s", what, yamlKind(n))
		return ""
	}
	return n.Value
}

// texts reads one text or a list of them.
func (r *reader) texts(n *yaml.Node, what string) []string {
	if n.Kind != yaml.SequenceNode {
		return []string{r.text(n, what)}
	}
	out := make([]string, len(n.Content))
	for i, c := range n.Content {
		out[i] = r.text(c, what)
	}
	return out
}

func (r *reader) oneOf(n *yaml.Node, what string, allowed ...string) string {
	s := r.text(n, what)
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	r.fail(n.Line, "%s must be one of %s, found %q", what, strings.Join(allowed, ", "), s)
	return ""
}

func (r *reader) flag(n *yaml.Node, what string) bool {
	return r.oneOf(n, what, "true", "false") == "true"
}

// list calls f for each element of a sequence.
func (r *reader) list(n *yaml.Node, what string, f func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n.Line, "%s must be a list, found %s", what, yamlKind(n))
		return
	}
	for _, c := range n.Content {
		f(c)
	}
}

// pairs reads a mapping of text to text.
func (r *reader) pairs(n *yaml.Node, what string) map[string]string {
	out := map[string]string{}
	r.entries(n, what, func(key string, _, v *yaml.Node) { out[key] = r.text(v, what) })
	return out
}

// tooDeep also refuses aliases, which could make a small file a large one.
func tooDeep(n *yaml.Node, depth int) (line int, reason string) {
	if n.Kind == yaml.AliasNode {
		return n.Line, "aliases are not supported"
	}
	if depth > maxDepth {
		return n.Line, fmt.Sprintf("nesting must not exceed %d", maxDepth)
	}
	for _, c := range n.Content {
		if line, reason := tooDeep(c, depth+1); reason != "" {
			return line, reason
		}
	}
	return 0, ""
}

func yamlKind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	default:
		return "a text"
	}
}
