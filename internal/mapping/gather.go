package mapping

import (
	"encoding/base64"
	"sort"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxFlatDepth bounds the names of one flattened key.
const maxFlatDepth = 24

// Names that the tree of an event has beside its attributes'.
const eventNameMember = semconv.EventName

// load makes a tree of what a source holds. text is its plain text if it is no
// JSON; nil is nothing or something beyond the bounds.
func (c *content) load(src *source, d datum) *node {
	switch {
	case src != nil && src.kind == fromBelow:
		c.flat = true
		return c.unflatten(src.prefix)
	case d.kind == kindEvents:
		return c.events()
	}
	n := c.loadDatum(d)
	if src != nil && c.s.isLog && src.key == c.s.t.known.body && src.kind == fromAttribute {
		n = c.named(n, c.s.plainEvent())
	}
	return n
}

// named gives a log's body the name of the event, as a span's event has it.
func (c *content) named(n *node, event string) *node {
	if _, ok := messageEvents[event]; !ok || n == nil {
		return n
	}
	name := c.tree.str(event)
	body := n
	if n.kind != nodeObject {
		if body = c.tree.grow(nodeObject); body == nil {
			return nil
		}
		n.name = "content"
		body.add(n)
	}
	if name == nil {
		return nil
	}
	name.name, name.read, name.next = eventNameMember, true, body.first
	body.first = name
	c.changed = true
	return body
}

func (c *content) loadDatum(d datum) *node {
	switch d.kind {
	case kindString, kindJSON:
		return c.loadText(d.s)
	case kindValue:
		return c.loadValue(d.v, 0)
	case kindList:
		n := c.tree.grow(nodeList)
		for _, e := range d.list {
			if kid := c.tree.str(e); n != nil && kid != nil {
				n.add(kid)
			}
		}
		return n
	case kindInt, kindDouble:
		text, _ := d.text()
		n := c.tree.grow(nodeNumber)
		if n != nil {
			n.text = text
		}
		return n
	case kindBool:
		n := c.tree.grow(nodeBool)
		if n != nil {
			n.text, _ = d.text()
		}
		return n
	}
	return nil
}

// loadText reads JSON or what Python prints; other text is a string.
func (c *content) loadText(text string) *node {
	if n := c.structure(text); n != nil {
		return n
	}
	return c.tree.str(text)
}

// structure reads a text that is a JSON list, object or quoted text, or Python's
// print of one; nil if it is plain text.
func (c *content) structure(text string) *node {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) < 2 || len(trimmed) > maxJSONBytes {
		return nil
	}
	switch trimmed[0] {
	case '{', '[', '"':
	default:
		return nil
	}
	if c.depth >= maxJSONDepth {
		return nil
	}
	if !isPython(trimmed) {
		if n := c.tree.parse(trimmed); n != nil {
			c.changed = c.changed || trimmed[0] == '"'
			return n
		}
	}
	if trimmed[0] == '"' {
		return nil
	}
	fixed, lossy, ok := pythonValue(trimmed)
	if !ok {
		if c.s != nil {
			c.s.tally.left(leftJSON)
		}
		return nil
	}
	c.lossy = c.lossy || lossy
	c.changed = true
	return c.tree.parse(fixed)
}

// open looks into a text that is structured again; other nodes are themselves.
func (c *content) open(n *node) *node {
	if !n.isString() {
		return n
	}
	if n.inner == nil {
		text := n.word()
		if len(text) < 2 || text[0] != '{' && text[0] != '[' {
			return n
		}
		c.depth++
		inner := c.structure(text)
		c.depth--
		if inner == nil || !inner.isList() && !inner.isObject() {
			return n
		}
		inner.name, n.inner = n.name, inner
	}
	return n.inner
}

func (c *content) loadValue(v pcommon.Value, depth int) *node {
	if depth > maxJSONDepth {
		return nil
	}
	switch v.Type() {
	case pcommon.ValueTypeMap:
		n := c.tree.grow(nodeObject)
		for k, e := range v.Map().All() {
			if kid := c.loadValue(e, depth+1); n != nil && kid != nil {
				kid.name = k
				n.add(kid)
			} else {
				return nil
			}
		}
		return n
	case pcommon.ValueTypeSlice:
		n := c.tree.grow(nodeList)
		for _, e := range v.Slice().All() {
			if kid := c.loadValue(e, depth+1); n != nil && kid != nil {
				n.add(kid)
			} else {
				return nil
			}
		}
		return n
	case pcommon.ValueTypeStr:
		return c.tree.str(v.Str())
	case pcommon.ValueTypeBytes:
		return c.tree.str(base64.StdEncoding.EncodeToString(v.Bytes().AsRaw()))
	case pcommon.ValueTypeEmpty:
		return c.tree.grow(nodeNull)
	case pcommon.ValueTypeBool:
		n := c.tree.grow(nodeBool)
		if n != nil {
			n.text = strconv.FormatBool(v.Bool())
		}
		return n
	default:
		n := c.tree.grow(nodeNumber)
		if n != nil {
			if n.text = v.AsString(); !isJSONNumber(n.text) {
				n.kind = nodeString
			}
		}
		return n
	}
}

// unflatten gathers the attributes below a prefix; a name that is a number
// becomes an index.
func (c *content) unflatten(prefix string) *node {
	type member struct {
		of   *node
		name string
	}
	at := map[member]*node{}
	root := c.tree.grow(nodeObject)
	for k, v := range c.s.attributes.All() {
		rest, ok := strings.CutPrefix(k, prefix)
		if !ok || rest == "" {
			continue
		}
		n := root
		for _, name := range strings.SplitN(rest, ".", maxFlatDepth) {
			if n != nil && n.kind != nodeObject && !c.branch(n) {
				return nil
			}
			kid := at[member{n, name}]
			if kid == nil {
				if kid = c.tree.grow(nodeObject); kid == nil || n == nil {
					return nil
				}
				kid.name = name
				at[member{n, name}] = kid
				n.add(kid)
			}
			n = kid
		}
		leaf := c.loadValue(v, 0)
		if leaf == nil {
			return nil
		}
		if n.first == nil && n.kind == nodeObject {
			name, next := n.name, n.next
			*n = *leaf
			n.name, n.next = name, next
			continue
		}
		leaf.name = "" // the key has both a value and keys below it
		n.add(leaf)
	}
	indexLists(root)
	c.changed = true
	return root
}

// branch makes an object of a leaf that turns out to have keys below it.
func (c *content) branch(n *node) bool {
	leaf := c.tree.grow(nodeNull)
	if leaf == nil {
		return false
	}
	*leaf = *n
	leaf.name, leaf.next = "", nil
	*n = node{kind: nodeObject, name: n.name, next: n.next}
	n.add(leaf)
	return true
}

// indexLists turns objects whose names are all numbers into lists in the order
// of the numbers.
func indexLists(n *node) {
	if n.kind != nodeObject || n.first == nil {
		return
	}
	var kids []*node
	numbers := true
	for k := n.first; k != nil; k = k.next {
		indexLists(k)
		_, ok := indexOf(k.name, "", "")
		numbers = numbers && ok
		kids = append(kids, k)
	}
	if !numbers {
		return
	}
	sort.SliceStable(kids, func(i, j int) bool {
		a, _ := indexOf(kids[i].name, "", "")
		b, _ := indexOf(kids[j].name, "", "")
		return a < b
	})
	n.kind, n.first, n.last = nodeList, nil, nil
	for _, k := range kids {
		k.next = nil
		n.add(k)
	}
}

// events are the span's events as objects of their attributes, or the records of
// a call.
func (c *content) events() *node {
	if c.s.place.first {
		return c.recordEvents()
	}
	root := c.tree.grow(nodeList)
	if !c.s.isSpan {
		return root
	}
	for _, e := range c.s.span.Events().All() {
		n := c.tree.grow(nodeObject)
		name := c.tree.str(e.Name())
		if root == nil || n == nil || name == nil {
			return nil
		}
		name.name, name.read = eventNameMember, true
		n.add(name)
		for k, v := range e.Attributes().All() {
			kid := c.loadValue(v, 0)
			if kid == nil {
				return nil
			}
			kid.name = k
			n.add(kid)
		}
		root.add(n)
	}
	c.changed = true
	return root
}
