package mapping

import "strings"

// content reads one content value and writes it in the snapshot's form.
type content struct {
	s       *scratch
	tree    tree
	out     []byte
	side    side
	depth   int
	changed bool     // the result is more than the source as it is
	lossy   bool     // something of the source cannot be represented
	finish  []string // the record's finish reasons
	skip    bool     // system messages are written elsewhere
	written int      // messages, or whatever the shape writes
	flat    bool     // the source is a list of indexed keys
	thought *node    // reasoning that goes into the next answer
	outer   *node    // the finish reason that stands outside of the messages
	names   []string // members of the part that is written
	wrapper *node    // the object around a part whose type is the name of a member
	beside  *node    // the calls beside the content of the message that is written
	taken   []*node  // those of them that are written
}

// side says whose messages are wanted.
type side uint8

const (
	sideInput side = iota
	sideOutput
)

// shape writes what it finds below the roots, the values of a field's sources.
// It gives the number of things written, 0 if there was nothing for it.
type shape func(c *content, roots []*node) int

// shapes are the names that a dialect file may use.
var shapes = map[string]shape{
	"text":                shapeText,
	"json":                shapeJSON,
	"query":               shapeQuery,
	"arguments":           shapeArguments,
	"code_parameters":     shapeCodeParameters,
	"result":              shapeResult,
	"wrapped_result":      shapeWrappedResult,
	"documents":           shapeDocuments,
	"tools":               shapeTools,
	"system_instructions": shapeSystem,
	"input_messages":      func(c *content, roots []*node) int { return c.messages(roots, sideInput) },
	"output_messages":     func(c *content, roots []*node) int { return c.messages(roots, sideOutput) },
}

// reshape brings the value of a source to the form of a content key.
func (s *scratch) reshape(f *field, src *source, d datum) (datum, outcome) {
	c := s.newContent()
	root := c.load(src, d)
	if root == nil {
		s.whole = false
		return datum{}, absent
	}
	out, result := c.shaped(f, []*node{root})
	if result == fits && !c.changed {
		s.whole = true
		return d, fits
	}
	return out, result
}

// applyGather reads several sources as one value.
func (s *scratch) applyGather(f *field) {
	d, out := s.gathered(f)
	if out != fits {
		return
	}
	for i := range f.gather {
		s.consume(f, &f.gather[i])
	}
	s.write(f, nil, &d)
}

func (s *scratch) gathered(f *field) (datum, outcome) {
	c := s.newContent()
	var roots []*node
	for i := range f.gather {
		src := &f.gather[i]
		if d := s.read(src); d.kind != kindNone {
			if root := c.load(src, d); root != nil {
				root.name = leafName(s.t, src)
				roots = append(roots, root)
			}
		}
	}
	s.lossy = false
	if len(roots) == 0 {
		return datum{}, absent
	}
	c.changed = true
	return c.shaped(f, roots)
}

// leafName is the last name of a source, by which a gathered part is known.
func leafName(t *Tables, src *source) string {
	name := src.rest
	switch {
	case len(src.path) > 0:
		return src.path[len(src.path)-1]
	case src.kind == fromAttribute:
		name = t.keys[src.key].name
	case src.kind == fromBelow:
		name = strings.TrimSuffix(src.prefix, ".")
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (s *scratch) newContent() *content {
	if s.content == nil {
		s.content = &content{s: s}
	}
	c := s.content
	c.tree.reset()
	*c = content{s: s, tree: c.tree, out: c.out[:0], names: c.names[:0]}
	return c
}

// shaped runs the shape and tells whether the result is whole.
func (c *content) shaped(f *field, roots []*node) (datum, outcome) {
	c.skip = c.s.systemRead || c.s.decided[c.s.t.known.system.id] == c.s.gen
	if reasons := c.s.valueOf(c.s.t.known.finish); reasons.kind == kindList || reasons.kind == kindValue {
		c.finish = listOf(reasons)
	}
	n := f.shape(c, roots)
	c.s.whole = !c.lossy
	if n == 0 {
		return datum{}, absent
	}
	for _, r := range roots {
		if r.rest() {
			c.s.whole = false
		}
	}
	return stringDatum(string(c.out)), fits
}

// text reads a plain text, or the one text of a list of text parts.
func shapeText(c *content, roots []*node) int {
	n := roots[0]
	if n.isString() && n.word() != "" {
		c.out = append(c.out, n.take()...)
		return 1
	}
	return 0
}

// json reads JSON, or what Python prints for the same value; other text stays
// text.
func shapeJSON(c *content, roots []*node) int {
	return c.emitValue(roots[0])
}

// emitValue writes a value by itself: a text as it is, all else as JSON.
func (c *content) emitValue(n *node) int {
	switch {
	case n == nil || n.kind == nodeNull:
		return 0
	case n.isString():
		if n.word() == "" {
			return 0
		}
		c.out = append(c.out, n.take()...)
	default:
		c.out = appendNode(c.out, n, false)
		n.read = true
	}
	return 1
}
