package mapping

// One reader for every form of messages. It looks for things by the names that
// the providers' own formats have: a form that two frameworks share is read
// once, and a framework that passes a provider's form through needs no rule.

// Names by which a value around messages is known, in the order of looking.
var (
	inputContainers  = []string{"messages", "contents", "input", "inputs", "prompt", "prompts", "history", "content", "kwargs", "args"}
	outputContainers = []string{"choices", "generations", "candidates", "replies", "output", "outputs", "messages", "message", "response", "completion", "content", "text"}
	systemContainers = []string{"system", "system_instruction", "systemInstruction", "system_prompt", "systemPrompt", "instructions"}
)

// roleWords are the words for a message's role.
var roleWords = map[string]string{
	"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant", "AIMessageChunk": "assistant",
	"bot": "assistant", "system": "system", "developer": "developer", "tool": "tool", "function": "tool",
}

// dumpRoles are class names in dumps of message objects.
var dumpRoles = map[string]string{
	"HumanMessage": "user", "HumanMessageChunk": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant",
	"SystemMessage": "system", "SystemMessageChunk": "system", "ToolMessage": "tool", "ToolMessageChunk": "tool",
	"FunctionMessage": "tool", "ChatMessage": "", "ChatMessageChunk": "",
}

// messages writes all messages of one side.
func (c *content) messages(roots []*node, want side) int {
	c.side, c.written = want, 0
	c.out = append(c.out, '[')
	if len(roots) > 1 || roots[0].name != "" {
		c.parts(roots)
	} else {
		c.changed = c.changed || !roots[0].isList()
		c.ownReasons(roots[0])
		if !c.flatMessages(roots[0]) {
			c.find(roots[0], 0)
		}
	}
	c.out = append(c.out, ']')
	return c.written
}

func (c *content) defaultRole() string {
	if c.side == sideOutput {
		return "assistant"
	}
	return "user"
}

// maxWrap bounds the values around messages.
const maxWrap = 12

// find looks for messages in a value, and writes them in its order.
func (c *content) find(n *node, depth int) {
	n = c.open(n)
	if n == nil || depth > maxWrap {
		return
	}
	switch n.kind {
	case nodeString:
		if n.word() != "" {
			c.changed = true
			c.single(c.defaultRole(), n)
		}
	case nodeList:
		c.findInList(n, depth)
	case nodeObject:
		c.findInObject(n, depth)
	}
}

func (c *content) findInList(n *node, depth int) {
	if pair := n.first; pair.isString() && pair.next.isString() && pair.next.next == nil && roleWords[pair.word()] != "" {
		c.changed = true // ["user", "text"]
		c.single(roleWords[pair.take()], pair.next)
		return
	}
	if n.first != nil && c.areParts(n) {
		c.changed = true
		c.single(c.defaultRole(), n)
		return
	}
	for k := c.answerStart(n); k != nil; k = k.next {
		c.find(k, depth+1)
	}
}

// answerStart is where a conversation's answer begins: what a state of messages
// holds up to the last question was not written by the model.
func (c *content) answerStart(n *node) *node {
	start := n.first
	if c.side == sideInput {
		return start
	}
	for k := n.first; k != nil; k = k.next {
		switch role, ok := c.roleOf(k); {
		case !ok:
		case role == "user" || role == "system" || role == "developer":
			start = k.next
		}
	}
	if start == nil {
		return n.first
	}
	return start
}

// roleOf is the role that a message states, without reading the message.
func (c *content) roleOf(n *node) (string, bool) {
	if n.isList() && n.first.isString() { // ["user", "text"]
		role, ok := roleWords[n.first.word()]
		return role, ok
	}
	if !n.isObject() {
		return "", false
	}
	if w := n.any("role", "_role").word(); w != "" {
		return roleWords[w], true
	}
	if w := n.get("type").word(); roleWords[w] != "" {
		return roleWords[w], true
	}
	if id := n.get("id"); n.get("lc") != nil && id.isList() && id.last != nil {
		return dumpRoles[id.last.word()], true
	}
	return "", false
}

func (c *content) findInObject(n *node, depth int) {
	if name := n.get(eventNameMember).word(); name != "" {
		c.event(n, name, depth)
		return
	}
	if c.isMessage(n) {
		c.message(n, "", nil)
		return
	}
	if c.item(n) {
		return
	}
	if m := c.open(n.get("message")); m.isObject() { // a choice, or a list of wrapped messages
		if m.get(eventNameMember) == nil {
			c.changed = true
			c.message(m, "", n)
			return
		}
	}
	if typ := n.get("type").word(); c.isPart(n) && n.get("content") == nil && typ != "" || n.get("message_content") != nil {
		c.changed = true
		c.single(c.defaultRole(), n)
		return
	}
	if c.completionText(n) {
		return
	}
	names := inputContainers
	if c.side == sideOutput {
		names = outputContainers
	}
	for _, name := range names {
		if k := n.get(name); k != nil && k.kind != nodeNull {
			before, outer := c.written, c.outer
			c.changed = true
			if r := n.any(finishMembers...); r.isString() {
				c.outer = r
			}
			c.find(k, depth+1)
			c.outer = outer
			if c.written > before {
				return
			}
		}
	}
	if c.isPart(n) {
		c.changed = true
		c.single(c.defaultRole(), n)
	}
}

// isCompletion reports whether an object is a text with its finish reason.
func isCompletion(n *node) bool {
	if !n.get("text").isString() || n.get("type") != nil {
		return false
	}
	return n.any("generation_info", "index", "logprobs") != nil || n.any(finishMembers...) != nil
}

// completionText reads the texts of text completions: {"text": …} beside a finish
// reason, {"prompt": {"text": …}} and {"completion": {"text": …}}.
func (c *content) completionText(n *node) bool {
	if text := n.get("text"); isCompletion(n) {
		c.changed = true
		reason := c.reason(n, nil, n)
		c.start(c.defaultRole(), nil)
		c.pieces(text, "", nil)
		c.end(reason)
		return true
	}
	k := n.any("prompt", "completion")
	if text := k.get("text"); text.isString() {
		c.changed = true
		c.single(c.defaultRole(), text)
		return true
	}
	return false
}

func (c *content) isMessage(n *node) bool {
	if n.get("role").isString() || n.get("_role").isString() || n.get("parts").isList() {
		return true
	}
	if n.get("lc") != nil && n.get("kwargs").isObject() {
		return true
	}
	return roleWords[n.get("type").word()] != "" && n.any("content", "data", "text") != nil
}

// message writes one message. around holds what stands beside the message in a
// choice.
func (c *content) message(n *node, role string, around *node) {
	whole := n
	if inner := n.get("content"); inner.only("content", "message", "finish_reason", "tool.result", "role", "id") && (inner.get("content") != nil || inner.get("message") != nil) {
		c.changed = true // a log's message is an event's attributes
		if around == nil {
			around = inner
		}
		if id := n.any("tool_call_id", "id"); id == nil {
			c.message(inner, roleWords[n.get("role").take()], around)
			c.resultBeside(inner)
			return
		}
	}
	n, dumped := c.undump(n)
	if dumped != "" {
		role = dumped
	}
	if r := n.any("role", "_role"); r.isString() {
		word := r.take()
		if known, ok := roleWords[word]; ok {
			c.changed = c.changed || known != word
			word = known
		}
		role = word
	} else if role == "" {
		role = c.defaultRole()
		c.changed = true
	}
	reason := c.reason(n, whole, around)
	parts := n.get("parts")
	if !parts.isList() {
		c.changed = true
	}
	if role == "user" && c.areAnswers(n.any("parts", "content")) {
		role = "tool"
		c.changed = true
	}
	c.start(role, n.get("name"))
	if parts.isList() {
		leave := c.inside(n)
		if id := n.any("tool_call_id", "toolCallId"); role == "tool" && id != nil && !c.areAnswers(parts) {
			c.changed = true
			c.toolMessage(n, parts)
		} else {
			for k := parts.first; k != nil; k = k.next {
				c.part(k, role, n)
			}
		}
		c.siblingCalls(n)
		leave()
	} else {
		c.contentOf(n, role)
	}
	c.end(reason)
	if parts.isList() { // the snapshot's own form may have more members
		c.rideMessage(n)
	}
}

// undump takes a message out of what a library prints of the object.
func (c *content) undump(n *node) (*node, string) {
	if kwargs := n.get("kwargs"); n.get("lc") != nil && kwargs.isObject() {
		c.changed = true
		id := n.get("id")
		role := ""
		if id.isList() && id.last != nil {
			role = dumpRoles[id.last.word()]
		}
		for _, name := range []string{"lc", "type", "id"} {
			if k := n.get(name); k != nil {
				k.read = true
			}
		}
		if t := kwargs.get("type"); role != "" && t != nil {
			t.read = true
		}
		return kwargs, role
	}
	typ := n.get("type")
	role := roleWords[typ.word()]
	if role == "" {
		return n, ""
	}
	typ.read = true
	c.changed = true
	if data := n.get("data"); data.isObject() {
		if t := data.get("type"); t != nil {
			t.read = true
		}
		return data, role
	}
	return n, role
}

// start opens a message; its parts follow.
func (c *content) start(role string, name *node) {
	if c.written > 0 {
		c.out = append(c.out, ',')
	}
	c.written++
	c.out = append(c.out, `{"role":`...)
	c.out = appendText(c.out, role)
	if name.isString() && name.word() != "" {
		c.out = append(c.out, `,"name":`...)
		c.out = appendText(c.out, name.take())
	}
	c.out = append(c.out, `,"parts":[`...)
	if thought := c.thought; thought != nil && role == "assistant" {
		c.thought = nil
		c.reasoning(thought)
	}
}

func (c *content) end(reason string) {
	c.out = append(c.out, ']')
	if reason != "" {
		c.out = append(c.out, `,"finish_reason":`...)
		c.out = appendText(c.out, reason)
	}
	c.out = append(c.out, '}')
}

// rideMessage puts members that nobody read onto the message.
func (c *content) rideMessage(n *node) {
	for k := n.first; k != nil; k = k.next {
		if k.rest() && k.name != "parts" && k.name != "" {
			c.out = append(c.out[:len(c.out)-1], ',')
			c.out = append(appendText(c.out, k.name), ':')
			c.out = append(appendNode(c.out, k, true), '}')
			k.read = true
		}
	}
}

// single writes a message of one text, one part or a list of parts.
func (c *content) single(role string, n *node) {
	c.start(role, nil)
	c.pieces(n, role, nil)
	c.end(c.positional(c.written - 1))
}

// parts writes one message of gathered sources, each known by its name.
func (c *content) parts(roots []*node) {
	if c.thoughtBeside(roots) {
		return
	}
	role := c.defaultRole()
	c.start(role, nil)
	for _, r := range roots {
		switch r.name {
		case "reasoning", "thinking", "reasoning_content":
			c.reasoning(r)
		case "toolCalls", "tool_calls":
			c.calls(c.open(r))
		case "object":
			r.read = true
			c.plainPart("text", string(appendNode(nil, r, false)))
		default:
			c.pieces(r, role, nil)
		}
	}
	c.end(c.positional(c.written - 1))
}

// positional is the record's finish reason of the message with the number.
func (c *content) positional(n int) string {
	if c.side == sideInput || len(c.finish) == 0 {
		return ""
	}
	if n < len(c.finish) {
		return c.finish[n]
	}
	return c.finish[len(c.finish)-1]
}

// Names of finish reasons, on a message, beside it, or in what it says about
// the response.
var finishMembers = []string{"finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"}

// reason is the message's finish reason in the snapshot's words.
func (c *content) reason(n, whole, around *node) string {
	for i, at := range []*node{n, whole, around, n.get("meta"), n.get("_meta"), n.get("response_metadata"), around.get("generation_info"), nil} {
		r := at.any(finishMembers...)
		if i == 7 && c.side == sideOutput {
			r = c.outer // of the object around the messages
		}
		if !r.isString() {
			continue
		}
		word := r.take()
		folded := foldFinish(word)
		c.changed = c.changed || folded != word || word == ""
		if folded != "" {
			return folded
		}
	}
	return c.positional(c.written)
}
