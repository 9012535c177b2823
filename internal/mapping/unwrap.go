package mapping

import (
	"sort"
	"strings"
)

// envelopeRest are members that stand beside a tool's arguments or its result
// in a framework's envelope; they belong to the framework.
var envelopeRest = []string{"tags", "metadata", "kwargs", "config", "run_id", "name"}

// only reports whether an object has no members but these.
func (n *node) only(names ...string) bool {
	if !n.isObject() || n.first == nil {
		return false
	}
	for k := n.first; k != nil; k = k.next {
		if !contains(names, k.name) {
			return false
		}
	}
	return true
}

// shapeArguments reads a tool's arguments, out of a framework's envelope if they
// are in one.
func shapeArguments(c *content, roots []*node) int {
	n := c.open(roots[0])
	if e := c.unenvelope(n); e != n {
		c.changed = true
		n = e
	}
	return c.emitValue(n)
}

func (c *content) unenvelope(n *node) *node {
	switch {
	case n.get("inputs") != nil && n.only(append(envelopeRest, "inputs", "input_str")...):
		if in := n.get("inputs"); in.kind != nodeNull {
			if same := n.get("input_str"); same != nil {
				same.read = true // a print of the same
			}
			return c.open(in)
		}
		return c.open(n.get("input_str"))
	case n.get("input_str") != nil && n.only(append(envelopeRest, "input_str")...):
		return c.open(n.get("input_str"))
	case n.only("args", "kwargs", "sanitize_inputs_outputs") && n.get("args").isList() && n.get("kwargs").isObject():
		switch args, kwargs := n.get("args"), n.get("kwargs"); {
		case args.first == nil:
			args.read = true
			return kwargs
		case kwargs.first == nil:
			kwargs.read = true
			return args
		}
	case n.only("_raw") && n.get("_raw").isString():
		return n.get("_raw")
	case n.only("input") && n.get("input").isString():
		if in := c.open(n.get("input")); in.isObject() {
			return in
		}
	}
	return n
}

// shapeResult reads a tool's result, out of the message and the envelope around
// it. A text that is JSON again keeps its own spelling.
func shapeResult(c *content, roots []*node) int {
	n := roots[0]
	for range 3 {
		opened := c.open(n)
		inner := c.unmessage(opened)
		if inner == opened {
			break
		}
		c.changed = true
		n = inner
	}
	if opened := c.open(n); c.onlyText(n) != opened {
		n = c.onlyText(n)
	}
	if opened := c.open(n); c.bare(n) != opened {
		n = c.bare(n)
	}
	if n.isString() {
		n.inner = nil
	}
	return c.emitValue(n)
}

// shapeWrappedResult is shapeResult for a framework that makes a dictionary of
// every result that is none.
func shapeWrappedResult(c *content, roots []*node) int {
	if n := c.open(roots[0]); n.only("result") && n.get("result").kind != nodeNull {
		c.changed = true
		return shapeResult(c, []*node{n.get("result")})
	}
	return shapeResult(c, roots)
}

func (c *content) unmessage(n *node) *node {
	if !n.isObject() {
		return n
	}
	if kwargs := n.get("kwargs"); n.get("lc") != nil && kwargs.isObject() && kwargs.get("content") != nil {
		return kwargs.get("content")
	}
	if data := n.get("data"); n.get("type").word() == "tool" && data.get("content") != nil {
		return data.get("content")
	}
	if n.get("content") != nil && n.get("tool_call_id") != nil {
		return n.get("content")
	}
	for _, name := range []string{"output", "outputs"} {
		if out := n.get(name); out != nil && n.only(append(envelopeRest, name)...) {
			return out
		}
	}
	return n
}

// shapeQuery reads what was looked for: a text, or the one text of a request.
func shapeQuery(c *content, roots []*node) int {
	n := c.open(roots[0])
	if n.isObject() {
		c.changed = true
		n = n.any("query", "input", "question", "text", "search_query", "query_str")
	}
	if !n.isString() || n.word() == "" {
		return 0
	}
	c.out = append(c.out, n.take()...)
	return 1
}

// shapeCodeParameters joins NAME.type and NAME.value of a function's parameters
// into one object. A value is Python's print of it.
func shapeCodeParameters(c *content, roots []*node) int {
	c.changed = true
	c.out = append(c.out, '{')
	n := 0
	for _, k := range sortedKids(roots[0]) {
		value := k.get("value")
		if value == nil {
			continue
		}
		if n++; n > 1 {
			c.out = append(c.out, ',')
		}
		c.out = append(appendText(c.out, k.name), ':')
		typ := k.get("type")
		if typ != nil {
			typ.read = true
		}
		c.out = c.appendLiteral(c.out, value, typ.word())
		value.read = true
	}
	c.out = append(c.out, '}')
	return n
}

// sortedKids are the members by name, since the order of attributes says nothing.
func sortedKids(n *node) []*node {
	var kids []*node
	for k := n.first; k != nil; k = k.next {
		kids = append(kids, k)
	}
	sort.SliceStable(kids, func(i, j int) bool {
		if len(kids[i].name) != len(kids[j].name) && strings.HasSuffix(kids[i].name, "]") && strings.HasSuffix(kids[j].name, "]") {
			return len(kids[i].name) < len(kids[j].name) // args[2] before args[10]
		}
		return kids[i].name < kids[j].name
	})
	return kids
}

// appendLiteral writes what Python printed; a text stays a text.
func (c *content) appendLiteral(b []byte, value *node, typ string) []byte {
	if typ == "str" && isPythonText(value) {
		if fixed, _, ok := pythonValue(value.word()); ok {
			c.lossy = true // the quotes may be the text's own
			return append(b, fixed...)
		}
	}
	if !value.isString() || typ == "str" || typ == "" {
		return appendNode(b, value, false)
	}
	fixed, lossy, ok := pythonValue(value.word())
	if typ == "tuple" || typ == "set" { // JSON does not show the difference
		lossy = true
	}
	if !ok {
		c.lossy = true
		return appendNode(b, value, false)
	}
	c.lossy = c.lossy || lossy
	return append(b, fixed...)
}

// isPythonText: a text in Python's quotes.
func isPythonText(n *node) bool {
	text := n.word()
	return n.isString() && len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\''
}

// shapeDocuments reads what a retrieval found.
func shapeDocuments(c *content, roots []*node) int {
	n := c.open(roots[0])
	for range 3 {
		inner := n.any("documents", "nodes", "results", "matches", "output", "outputs")
		if !n.isObject() || inner == nil {
			break
		}
		c.changed = true
		n = c.open(inner)
	}
	if !n.isList() {
		return 0
	}
	found := 0
	c.out = append(c.out, '[')
	for k := n.first; k != nil; k = k.next {
		found += c.document(k)
	}
	c.out = append(c.out, ']')
	return found
}

func (c *content) document(n *node) int {
	score := n.any("score", "relevance_score")
	if d := n.any("document", "node"); d.isObject() {
		c.changed = true
		n = d
		if score == nil {
			score = d.any("score", "relevance_score")
		}
	}
	if kwargs := n.get("kwargs"); n.get("lc") != nil && kwargs.isObject() {
		c.changed = true
		for _, name := range []string{"lc", "type", "id"} {
			if k := n.get(name); k != nil {
				k.read = true
			}
		}
		n = kwargs
	}
	if !n.isObject() {
		return 0
	}
	id := n.any("id", "id_", "document_id", "doc_id")
	if id == nil {
		id = c.open(n.get("metadata")).any("id", "document_id")
	}
	text := n.any("content", "page_content", "text", "document")
	if id != nil && id.name != "id" || text != nil && text.name != "content" || score.isString() || score != nil && score.name != "score" {
		c.changed = true
	}
	if last := c.out[len(c.out)-1]; last != '[' {
		c.out = append(c.out, ',')
	}
	c.out = append(c.out, '{')
	c.names = c.names[:0]
	c.member("id", id)
	if score.isString() && isJSONNumber(score.word()) {
		score.kind, score.raw = nodeNumber, false
	}
	c.member("score", score)
	c.member("content", text)
	if meta := n.get("metadata"); meta.isString() {
		c.member("metadata", c.open(meta))
	} else if own := c.open(n.get("meta")); meta == nil && own.isObject() {
		c.changed = true
		c.member("metadata", own)
	}
	for k := n.first; k != nil; k = k.next {
		if k.rest() && k.name != "" && !contains(c.names, k.name) {
			if k.name == "type" && k.word() == "Document" {
				k.read = true
				continue
			}
			c.member(k.name, k)
		}
	}
	c.out = append(c.out, '}')
	return 1
}

// member writes a member of an object, the first without a comma.
func (c *content) member(name string, n *node) {
	if n == nil || n.kind == nodeNull {
		return
	}
	if c.out[len(c.out)-1] != '{' {
		c.out = append(c.out, ',')
	}
	c.names = append(c.names, name)
	c.out = append(appendText(c.out, name), ':')
	c.out = appendNode(c.out, n, false)
	n.read = true
}

// shapeTools brings the providers' tool definitions to one form: type, name,
// description, parameters, and whatever else was said.
func shapeTools(c *content, roots []*node) int {
	c.out = append(c.out, '[')
	found := c.tools(roots[0], 0)
	c.out = append(c.out, ']')
	return found
}

func (c *content) tools(n *node, depth int) int {
	n = c.open(n)
	switch {
	case depth > maxWrap:
		return 0
	case n.isList():
		found := 0
		for k := n.first; k != nil; k = k.next {
			found += c.tools(k, depth+1)
		}
		return found
	case !n.isObject():
		return 0
	}
	for _, name := range []string{"tools", "function_declarations", "functionDeclarations", "functions"} {
		if list := c.open(n.get(name)); list.isList() {
			c.changed = true
			return c.tools(list, depth+1)
		}
	}
	if config := n.get("config"); config.any("tools") != nil {
		c.changed = true
		return c.tools(config, depth+1)
	}
	if tool := n.get("tool"); tool.isObject() {
		c.changed = true
		return c.tools(tool, depth+1)
	}
	if schema := n.get("json_schema"); schema != nil {
		c.changed = true
		opened := c.open(schema)
		if !opened.isObject() {
			c.out = c.comma(c.out)
			c.out = append(c.out, `{"type":"generic","schema":`...)
			c.out = append(appendNode(c.out, schema, false), '}')
			schema.read = true
			return 1
		}
		return c.tools(opened, depth+1)
	}
	return c.tool(n, depth > 0)
}

func (c *content) comma(b []byte) []byte {
	if b[len(b)-1] != '[' {
		return append(b, ',')
	}
	return b
}

// tool writes one definition. In a list also one without name and type is one.
func (c *content) tool(n *node, listed bool) int {
	outer := n
	for _, name := range []string{"function", "toolSpec"} {
		if inner := n.get(name); inner.isObject() {
			c.changed = true
			n = inner
		}
	}
	name := n.any("name", "tool_name")
	typ := outer.get("type").word()
	if !listed {
		if name == nil || typ != "function" && n.any("parameters", "input_schema", "inputSchema", "description") == nil {
			return 0
		}
		c.changed = true // one becomes a list of one
	}
	if name == nil && typ == "" {
		if !listed || n.first == nil {
			return 0
		}
		c.changed = true
		typ = "generic"
	}
	if typ == "" || typ == "custom" && n.get("input_schema") != nil {
		c.changed = true
		typ = "function"
	}
	params := n.any("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "args_schema")
	if params != nil && params.name != "parameters" {
		c.changed = true
	}
	opened := c.open(params)
	if inner := opened.get("json"); opened.only("json") {
		opened = c.open(inner)
	}
	c.changed = c.changed || opened != params
	c.out = c.comma(c.out)
	c.out = append(c.out, `{"type":`...)
	c.out = appendText(c.out, typ)
	c.names = append(c.names[:0], "type")
	c.put("name", name)
	c.put("description", n.any("description"))
	c.put("parameters", opened)
	if params != nil {
		params.read = true
	}
	c.ride(n)
	if outer != n {
		c.ride(outer)
	}
	c.out = append(c.out, '}')
	return 1
}
