package mapping

import "strings"

// partForm writes one part of a message from a provider's form of it.
type partForm func(c *content, n *node)

// partForms are the types that providers and frameworks give parts. A type that
// is not here stays with all its members: the snapshot allows any.
var partForms map[string]partForm

func init() {
	partForms = map[string]partForm{
		"text": (*content).text, "input_text": (*content).text, "output_text": (*content).text, "summary_text": (*content).text,
		"reasoning": (*content).reasoning, "thinking": (*content).reasoning,
		"tool_call": (*content).call, "tool_use": (*content).call, "toolUse": (*content).call, "tool-call": (*content).call,
		"function_call": (*content).call, "custom_tool_call": (*content).call, "function": (*content).call, "builtin-tool-call": (*content).serverCall,
		"server_tool_use":    (*content).serverCall,
		"tool_call_response": (*content).answer, "tool_result": (*content).answer, "toolResult": (*content).answer,
		"tool-result": (*content).answer, "function_call_output": (*content).answer, "custom_tool_call_output": (*content).answer,
		"tool_return": (*content).answer, "tool-return": (*content).answer,
		"image": mediaOf("image"), "image_url": mediaOf("image"), "input_image": mediaOf("image"), "image-url": mediaOf("image"),
		"audio": mediaOf("audio"), "input_audio": mediaOf("audio"), "audio_url": mediaOf("audio"), "audio-url": mediaOf("audio"),
		"video": mediaOf("video"), "video_url": mediaOf("video"), "video-url": mediaOf("video"),
		"document": mediaOf("document"), "document-url": mediaOf("document"), "input_file": mediaOf("document"),
		"file": mediaOf(""), "binary": mediaOf(""), "media": mediaOf(""), "blob": mediaOf(""), "file_data": mediaOf(""), "uri": mediaOf(""),
	}
}

// Bedrock's and Gemini's parts have no type: the name of their one member is it.
var memberForms = []struct {
	names []string
	form  partForm
}{
	{[]string{"toolUse", "functionCall", "function_call", "tool_call"}, (*content).call},
	{[]string{"toolResult", "functionResponse", "function_response", "tool_call_result"}, (*content).answer},
	{[]string{"reasoningContent", "reasoning_content", "reasoning"}, (*content).reasoning},
	{[]string{"image", "image_url"}, mediaOf("image")},
	{[]string{"document"}, mediaOf("document")},
	{[]string{"video"}, mediaOf("video")},
	{[]string{"audio", "input_audio"}, mediaOf("audio")},
	{[]string{"inlineData", "inline_data", "fileData", "file_data"}, mediaOf("")},
}

// isPart reports whether an object looks like a part of a message.
func (c *content) isPart(n *node) bool {
	if !n.isObject() || n.any("role", "_role") != nil {
		return false
	}
	if typ := n.get("type").word(); typ != "" {
		_, known := partForms[typ]
		return known || strings.HasPrefix(typ, "tool_approval") || strings.HasPrefix(typ, "tool-approval")
	}
	if n.get("text").isString() && n.get("message").isObject() {
		return false // an answer beside a print of it
	}
	if n.get("text").isString() && !isCompletion(n) || n.get("message_content") != nil {
		return true
	}
	for _, f := range memberForms {
		if n.any(f.names...) != nil {
			return true
		}
	}
	return false
}

// areParts reports whether a list holds the parts of one message.
func (c *content) areParts(n *node) bool {
	for k := n.first; k != nil; k = k.next {
		if !c.isPart(k) || c.isItem(k) {
			return false
		}
	}
	return true
}

// pieces writes the parts of a content: a text, a part, or a list of them.
func (c *content) pieces(n *node, role string, m *node) {
	if n == nil || n.kind == nodeNull {
		return
	}
	opened := c.open(n)
	switch {
	case opened.isList() && (c.areParts(opened) || n.isList()):
		for k := opened.first; k != nil; k = k.next {
			c.part(k, role, m)
		}
	case opened.isObject() && (c.isPart(opened) || n.isObject()):
		c.part(opened, role, m)
	case n.isString() && n.inner != nil:
		n.inner, n.read = nil, true
		c.plainPart("text", n.word())
	case n.isString():
		if text := n.take(); text != "" {
			c.plainPart("text", text)
		}
	default:
		c.begin("text")
		c.putText("content", string(appendNode(nil, n, false)))
		n.read = true
		c.close(nil)
	}
}

func (c *content) plainPart(typ, text string) {
	c.begin(typ)
	c.putText("content", text)
	c.close(nil)
}

// part writes one part.
func (c *content) part(n *node, role string, m *node) {
	switch {
	case n == nil || n.kind == nodeNull:
		return
	case n.isString():
		c.changed = true
		c.plainPart("text", n.take())
		return
	case !n.isObject():
		c.changed = true
		c.begin("generic")
		c.put("value", n)
		c.close(nil)
		return
	}
	for _, wrapper := range []string{"message_content"} {
		if inner := n.get(wrapper); inner.isObject() {
			c.changed = true
			c.part(inner, role, m)
			return
		}
	}
	typ := n.get("type").word()
	if typ == "" {
		c.untyped(n)
		return
	}
	if typ == "tool_use" && n.only("type") { // it marks where the calls beside the content stand
		c.changed = true
		n.get("type").read = true
		if call := c.nextTwin(); call != nil {
			c.call(call)
		}
		return
	}
	if form, ok := partForms[typ]; ok {
		form(c, n)
		return
	}
	if strings.HasSuffix(typ, "_tool_result") {
		c.serverAnswer(n)
		return
	}
	c.begin(typ)
	c.close(n)
}

func (c *content) untyped(n *node) {
	c.changed = true
	if text := n.get("text"); text != nil && text.kind != nodeNull {
		if n.get("thought").isTrue() {
			n.get("thought").read = true
			c.reasoning(n)
		} else {
			c.text(n)
		}
		return
	}
	for _, f := range memberForms {
		for _, name := range f.names {
			if inner := n.get(name); inner.isObject() || inner.isString() && f.names[0] != "toolUse" {
				c.wrapper = n
				f.form(c, inner)
				return
			}
		}
	}
	switch {
	case n.any("name", "function", "tool_name") != nil && n.any("arguments", "args", "input", "function") != nil:
		c.call(n)
	case n.any("content").isString():
		c.text(n)
	default:
		c.begin("generic")
		c.close(n)
	}
}

func (n *node) isTrue() bool {
	return n != nil && (n.kind == nodeBool && n.text == "true" || n.kind == nodeString && n.text == "true")
}

// begin opens a part.
func (c *content) begin(typ string) {
	if last := c.out[len(c.out)-1]; last != '[' {
		c.out = append(c.out, ',')
	}
	c.out = append(c.out, `{"type":`...)
	c.out = appendText(c.out, typ)
	c.names = append(c.names[:0], "type")
}

func (c *content) key(name string) {
	c.names = append(c.names, name)
	c.out = append(c.out, ',')
	c.out = append(appendText(c.out, name), ':')
}

// put writes a member of a part, if there is one.
func (c *content) put(name string, n *node) {
	if n == nil || n.kind == nodeNull {
		return
	}
	c.key(name)
	c.out = appendNode(c.out, n, false)
	n.read = true
}

func (c *content) putText(name, text string) {
	c.key(name)
	c.out = appendText(c.out, text)
}

// putStructured writes JSON that came as text as what it says.
func (c *content) putStructured(name string, n *node) {
	if n == nil || n.kind == nodeNull {
		return
	}
	opened := c.open(n)
	if opened != n {
		c.changed = true
	}
	c.put(name, opened)
	n.read = true
}

// close writes the members of the part that nobody read, ids and signatures for
// example, and those beside it.
func (c *content) close(n *node) {
	c.ride(n)
	if w := c.wrapper; w != nil {
		c.wrapper = nil
		c.ride(w)
	}
	c.out = append(c.out, '}')
}

func (c *content) ride(n *node) {
	if !n.isObject() {
		return
	}
	for k := n.first; k != nil; k = k.next {
		if k.name == "type" && k.isString() {
			k.read = true
		}
		if k.name == "" || !k.rest() || contains(c.names, k.name) {
			continue
		}
		c.key(k.name)
		c.out = appendNode(c.out, k, true)
		k.read = true
	}
}

// wants notes whether a part had the snapshot's own type and name for a member.
func (c *content) wants(n *node, typ, member string, got *node) {
	if n.get("type").word() != typ || got == nil || got.name != member {
		c.changed = true
	}
}

func (c *content) text(n *node) {
	body := n.any("content", "text")
	c.wants(n, "text", "content", body)
	c.begin("text")
	if body.isString() {
		c.put("content", body)
	} else {
		c.putText("content", c.joined(body))
	}
	c.close(n)
}

// joined is the text of a value that should be a text.
func (c *content) joined(n *node) string {
	if n == nil || n.kind == nodeNull {
		return ""
	}
	c.changed = true
	if v := n.get("value"); v.isString() { // OpenAI's annotated text
		return v.take()
	}
	n.read = true
	return string(appendNode(nil, n, false))
}

// reasoning reads what the model thought, and summaries of it.
func (c *content) reasoning(n *node) {
	if n.isString() {
		c.changed = true
		if text := n.take(); text != "" {
			c.plainPart("reasoning", text)
		}
		return
	}
	if n.isList() {
		c.changed = true
		for k := n.first; k != nil; k = k.next {
			c.reasoning(k)
		}
		return
	}
	body := n.any("content", "text", "thinking", "reasoning", "reasoning_text")
	inner := n.get("reasoningText")
	if body == nil && inner.get("text") != nil {
		body = inner.get("text")
	}
	c.wants(n, "reasoning", "content", body)
	c.begin("reasoning")
	switch summary := n.get("summary"); {
	case body.isString():
		c.put("content", body)
	case summary.isList() && summary.first != nil:
		c.putText("content", c.texts(summary))
	default:
		c.putText("content", c.texts(body))
	}
	if body == inner.get("text") {
		c.ride(inner)
	}
	c.close(n)
}

// texts joins the texts of a list of blocks.
func (c *content) texts(n *node) string {
	c.changed = true
	if !n.isList() {
		return ""
	}
	var parts []string
	for k := n.first; k != nil; k = k.next {
		if t := k.any("text"); t.isString() {
			parts = append(parts, t.take())
			if typ := k.get("type"); typ != nil {
				typ.read = true
			}
		}
	}
	return strings.Join(parts, "\n\n")
}
