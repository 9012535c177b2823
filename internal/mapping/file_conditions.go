package mapping

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// when reads conditions that must all hold, or a list of such, of which one
// must hold.
func (r *reader) when(n *yaml.Node, what string) []condition {
	if n.Kind != yaml.SequenceNode {
		return r.conditions(n, what)
	}
	c := condition{line: n.Line}
	r.list(n, what, func(n *yaml.Node) { c.any = append(c.any, r.conditions(n, what)) })
	return []condition{c}
}

func (r *reader) conditions(n *yaml.Node, what string) []condition {
	var out []condition
	r.entries(n, what, func(key string, k, v *yaml.Node) {
		c := condition{source: key, line: k.Line}
		if v.Kind != yaml.MappingNode {
			c.is = r.texts(v, what)
			out = append(out, c)
			return
		}
		list := func(dst *[]string) func(*yaml.Node) {
			return func(n *yaml.Node) { *dst = r.texts(n, what) }
		}
		version := func(dst *string) func(*yaml.Node) {
			return func(n *yaml.Node) {
				if *dst = r.text(n, what); *dst != "" {
					if _, ok := plainVersion(*dst); !ok {
						r.fail(n.Line, "%s must be a version, found %q", what, *dst)
					}
				}
			}
		}
		r.object(v, what, map[string]func(*yaml.Node){
			"is":      list(&c.is),
			"not":     list(&c.not),
			"prefix":  list(&c.prefix),
			"suffix":  list(&c.suffix),
			"has":     list(&c.has),
			"present": func(n *yaml.Node) { c.present = r.oneOf(n, "present", "true", "false") },
			"since":   version(&c.since),
			"before":  version(&c.before),
			"type":    func(n *yaml.Node) { c.typ = r.oneOf(n, "type", "string", "int", "double", "bool", "list", "map") },
			"like":    func(n *yaml.Node) { c.like = r.oneOf(n, "like", sortedKeys(likeness)...) },
			"unlike":  func(n *yaml.Node) { c.unlike = r.oneOf(n, "unlike", sortedKeys(likeness)...) },
			"above": func(n *yaml.Node) {
				if c.above = n.Value; c.above != "" {
					if _, err := strconv.ParseFloat(c.above, 64); err != nil {
						r.fail(n.Line, "above must be a number")
					}
				}
			},
		})
		out = append(out, c)
	})
	return out
}
