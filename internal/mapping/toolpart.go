package mapping

// Names of the members of calls and answers, in the order of looking.
var (
	callIDs     = []string{"call_id", "id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id"}
	callNames   = []string{"name", "toolName", "tool_name"}
	callArgs    = []string{"arguments", "input", "args"}
	answerIDs   = []string{"tool_call_id", "tool_use_id", "toolCallId", "toolUseId", "call_id", "id"}
	answerTexts = []string{"response", "result", "content", "output"}
)

// call writes a request of the model to call a tool.
func (c *content) call(n *node) {
	if inner := n.get("tool_call"); inner.isObject() {
		c.changed = true
		n = inner
	}
	if inner := n.get("content"); inner.isObject() && n.any(callNames...) == nil && inner.any("name", "function") != nil {
		c.changed = true
		c.innerCall(n, inner)
		return
	}
	if n.get("builtin").isTrue() {
		n.get("builtin").read = true
		c.serverCall(n)
		return
	}
	fn := n
	if inner := n.get("function"); inner.isObject() {
		fn = inner
		c.changed = true
	}
	id, name, args := n.any(callIDs...), fn.any(callNames...), fn.any(callArgs...)
	c.wants(n, "tool_call", "name", name)
	if id != nil && id.name != "id" || args != nil && args.name != "arguments" {
		c.changed = true
	}
	var twin, twinFn *node
	if !c.isTaken(n) {
		twin, twinFn = c.twin(id), nil
	}
	if twin != nil {
		c.changed = true
		if twinFn = twin; twin.get("function").isObject() {
			twinFn = twin.get("function")
		}
		if again := twinFn.any(callNames...); says(name) {
			c.settleTwin(name, again)
		} else {
			name = again
		}
		if again := twinFn.any(callArgs...); says(c.open(args)) {
			c.settleTwin(args, again)
		} else if says(again) {
			c.settleTwin(again, args)
			args = again
		}
		c.settleTwin(id, twin.any(callIDs...))
	}
	c.begin("tool_call")
	c.put("id", id)
	c.put("name", name)
	c.putArguments(args)
	if twin != nil {
		c.ride(twinFn)
		c.ride(twin)
	}
	c.close(n)
}

// innerCall writes a call that is the content of the part.
func (c *content) innerCall(n, inner *node) {
	if id := n.any(callIDs...); inner.any(callIDs...) == nil && id.isString() {
		c.wrapper = n // its id rides along
	}
	if t := n.get("type"); t.isString() {
		t.read = true
	}
	c.call(inner)
}

func (c *content) putArguments(args *node) {
	if raw := c.open(args).get("_raw"); raw.isString() && c.open(args).first.next == nil {
		c.changed = true
		c.put("arguments", raw)
		return
	}
	c.putStructured("arguments", args)
}

// calls writes the calls that stand beside a message's content.
func (c *content) calls(n *node) {
	if !n.isList() {
		if n.isObject() {
			c.changed = true
			c.call(n)
		}
		return
	}
	for k := n.first; k != nil; k = k.next {
		if call := unwrapped(k); call.isObject() && !c.isTaken(call) {
			c.taken = append(c.taken, call)
			c.changed = true
			c.call(k)
		}
	}
}

// serverCall writes a call that the provider answers itself.
func (c *content) serverCall(n *node) {
	c.changed = true
	name, args := n.any(callNames...), n.any(callArgs...)
	c.begin("server_tool_call")
	c.put("id", n.any(callIDs...))
	c.put("name", name)
	c.key("server_tool_call")
	c.out = append(c.out, `{"type":`...)
	c.out = appendText(c.out, name.word())
	if args = c.open(args); args != nil && args.kind != nodeNull {
		c.out = append(c.out, `,"arguments":`...)
		c.out = appendNode(c.out, args, false)
		args.read = true
	}
	c.out = append(c.out, '}')
	c.close(n)
}

// serverAnswer writes a provider's own answer to such a call.
func (c *content) serverAnswer(n *node) {
	c.changed = true
	typ, result := n.get("type").word(), n.any(answerTexts...)
	if name := n.any(callNames...).word(); name != "" {
		typ = name
	}
	c.begin("server_tool_call_response")
	c.put("id", n.any(answerIDs...))
	c.key("server_tool_call_response")
	c.out = append(c.out, `{"type":`...)
	c.out = appendText(c.out, typ)
	if result != nil {
		c.out = append(c.out, `,"response":`...)
		c.out = appendNode(c.out, result, false)
		result.read = true
	}
	c.out = append(c.out, '}')
	c.close(n)
}

// answer writes a tool's result.
func (c *content) answer(n *node) {
	if n.get("builtin").isTrue() {
		n.get("builtin").read = true
		c.serverAnswer(n)
		return
	}
	id, result := n.any(answerIDs...), n.any(answerTexts...)
	if origin := n.get("origin"); origin.isObject() {
		id = origin.get("id")
	}
	c.wants(n, "tool_call_response", "response", result)
	if id != nil && id.name != "id" {
		c.changed = true
	}
	c.begin("tool_call_response")
	c.put("id", id)
	c.put("name", n.any("toolName", "tool_name"))
	if result == nil {
		c.key("response")
		c.out = append(c.out, "null"...)
	} else {
		c.putStructured("response", c.bare(result))
	}
	c.close(n)
}

// bare takes a result out of the forms that say only of which kind it is.
func (c *content) bare(n *node) *node {
	n = c.open(n)
	switch value := n.get("value"); n.get("type").word() {
	case "text", "json", "error-text", "error-json", "content":
		if value != nil {
			c.changed = true
			n.get("type").read = true
			return value
		}
	case "execution-denied":
		c.changed = true
		denied := c.tree.grow(nodeBool)
		if denied == nil {
			return n
		}
		typ := n.get("type")
		denied.name, denied.text, denied.next = "denied", "true", typ.next
		*typ = *denied
	}
	return n
}

// onlyText takes the text out of a list of one text, of one part or block.
func (c *content) onlyText(n *node) *node {
	n = c.open(n)
	if !n.isList() || !n.first.isObject() || n.first.next != nil {
		return n
	}
	only := n.first.any("text", "json", "content")
	if only == nil || n.first.get("type").word() != "text" && (n.first.get("type") != nil || only.name == "content") {
		return n
	}
	c.changed = true
	if t := n.first.get("type"); t != nil {
		t.read = true
	}
	return only
}

// contentOf writes what a message holds that is not in the snapshot's form:
// thoughts first, then the content, then calls.
func (c *content) contentOf(n *node, role string) {
	defer c.inside(n)()
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		if k := n.get(name); k != nil && k.kind != nodeNull {
			c.reasoning(k)
			break
		}
	}
	body := n.any("content", "_content", "contents", "blocks")
	if body == nil {
		body = n.any("message", "text", "data")
	}
	if role == "tool" && !c.areAnswers(body) {
		c.toolMessage(n, body)
	} else {
		c.pieces(body, role, n)
	}
	if more := n.get("contents"); more != body {
		c.pieces(more, role, n)
	}
	c.siblingCalls(n)
	if refusal := n.get("refusal"); refusal.isString() && refusal.word() != "" {
		c.begin("refusal")
		c.put("refusal", refusal)
		c.close(nil)
	}
}

// areAnswers: the content of a tool's message is made of answers, each with the
// id of its call.
func (c *content) areAnswers(n *node) bool {
	n = c.open(n)
	if n.isObject() {
		return isAnswer(n)
	}
	if !n.isList() || n.first == nil {
		return false
	}
	for k := n.first; k != nil; k = k.next {
		if !isAnswer(k) {
			return false
		}
	}
	return true
}

func isAnswer(n *node) bool {
	switch n.get("type").word() {
	case "tool-result", "tool_result", "function_call_output", "toolResult", "tool_call_response", "tool-return", "tool_approval_response", "tool-approval-response":
		return true
	}
	return n.any("toolResult", "functionResponse", "function_response", "tool_call_result").isObject()
}

// toolMessage writes the whole content of a tool's message as one answer.
func (c *content) toolMessage(n, body *node) {
	if body == nil && n.any(answerIDs...) == nil {
		return
	}
	c.begin("tool_call_response")
	c.put("id", n.any("tool_call_id", "toolCallId", "tool_use_id", "id"))
	if body == nil {
		c.key("response")
		c.out = append(c.out, "null"...)
	} else {
		c.putStructured("response", c.bare(c.onlyText(body)))
		body.read = true
	}
	c.close(nil)
}

// siblingCalls writes calls that stand beside the content.
func (c *content) siblingCalls(n *node) {
	calls := c.siblings(n)
	extra := n.get("additional_kwargs")
	if twice := extra.get("tool_calls"); calls != nil && twice != nil && c.open(twice) != calls {
		twice.read = true
	}
	if calls == nil { // one call, without a list around it
		calls = c.open(n.any("tool_calls", "toolCalls"))
	}
	c.calls(calls)
	if name := n.get("function_call_name"); name.isString() {
		c.changed = true
		c.begin("tool_call")
		c.put("name", name)
		c.putArguments(n.get("function_call_arguments_json"))
		c.close(nil)
	}
	for _, at := range []*node{n, extra} {
		if fn := c.open(at.get("function_call")); fn.isObject() && fn.first != nil {
			c.calls(fn)
			break
		}
	}
}
