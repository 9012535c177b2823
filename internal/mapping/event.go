package mapping

import "github.com/otelcol-agent/otelcol-agent/semconv"

// messageEvents are the events that carry messages, with the role they mean.
var messageEvents = map[string]string{
	semconv.EventGenAISystemMessage: "system", semconv.EventGenAIUserMessage: "user", semconv.EventGenAIAssistantMessage: "assistant",
	semconv.EventGenAIToolMessage: "tool", semconv.EventGenAIChoice: "assistant",
	semconv.EventGenAIContentPrompt: "user", semconv.EventGenAIContentCompletion: "assistant",
	semconv.GenAIInputMessages: "", semconv.GenAIOutputMessages: "", semconv.EventGenAISystemInstructions: "", semconv.GenAISystemInstructions: "",
	semconv.EventGenAIClientInferenceOperationDetails: "",
}

// event reads the messages of one event, if it is for this side.
func (c *content) event(n *node, name string, depth int) {
	role, known := messageEvents[name]
	if !known {
		return
	}
	c.changed = true
	payload := c.open(n.get(semconv.GenAIEventContent))
	output := name == semconv.EventGenAIChoice || name == semconv.EventGenAIContentCompletion || name == semconv.GenAIOutputMessages
	switch name {
	case semconv.EventGenAIClientInferenceOperationDetails:
		key := semconv.GenAIInputMessages
		if c.side == sideOutput {
			key = semconv.GenAIOutputMessages
		}
		c.find(n.get(key), depth+1)
		return
	case semconv.EventGenAISystemInstructions, semconv.GenAISystemInstructions:
		return
	case semconv.EventGenAIContentPrompt:
		payload = n.any(semconv.GenAIPrompt, "content")
	case semconv.EventGenAIContentCompletion:
		payload = n.any(semconv.GenAICompletion, "content")
	}
	if output != (c.side == sideOutput) || role == "system" && c.skip {
		return
	}
	if role == "" || n.get(semconv.GenAIPrompt) != nil || n.get(semconv.GenAICompletion) != nil || c.open(payload).isList() && payload.name == "content" {
		c.find(payload, depth+1)
		return
	}
	body := n
	if payload.isObject() {
		body = payload
	}
	around := body
	if m := c.open(body.get("message")); m.isObject() {
		body = m
	}
	c.message(body, role, around)
	c.resultBeside(body)
}

// resultBeside writes the results of tools that stand beside an answer as the
// message that follows it.
func (c *content) resultBeside(n *node) {
	if result := n.any("tool.result"); result != nil {
		c.start("tool", nil)
		c.pieces(result, "tool", nil)
		c.end("")
	}
}

// systemText reports whether the value is text, a list of texts or blocks.
func (c *content) systemParts(n *node) {
	n = c.open(n)
	switch {
	case n == nil || n.kind == nodeNull:
	case n.isString():
		if n.word() != "" {
			c.changed = true
			c.plainPart("text", n.take())
		}
	case n.isList():
		for k := n.first; k != nil; k = k.next {
			role := k.get("role")
			switch {
			case k.isString():
				c.systemParts(k)
			case role.isString() && k.any("parts", "content") != nil: // a whole message
				role.read = true
				c.changed = true
				c.systemParts(k)
			default:
				c.part(k, "system", nil)
			}
		}
	case n.any("parts", "content").isList():
		c.changed = true
		c.systemParts(n.any("parts", "content"))
	case n.get("content").isString():
		c.changed = true
		c.systemParts(n.get("content"))
	default:
		c.part(n, "system", nil)
	}
}

// shapeSystem reads instructions that were given apart from the messages.
func shapeSystem(c *content, roots []*node) int {
	c.out = append(c.out, '[')
	for _, r := range roots {
		r = c.open(r)
		switch {
		case r.isObject():
			c.changed = true
			for _, at := range []*node{r, r.get("config"), r.get("kwargs")} {
				if k := at.any(systemContainers...); k != nil {
					c.systemParts(k)
					break
				}
			}
			if name := r.get(eventNameMember).word(); name != "" {
				c.systemEvent(r, name)
			}
		case r.isList() && r.first.get(eventNameMember) != nil:
			for e := r.first; e != nil; e = e.next {
				c.systemEvent(e, e.get(eventNameMember).word())
			}
		default:
			c.systemParts(r)
		}
	}
	c.out = append(c.out, ']')
	return len(c.out) - len("[]")
}

func (c *content) systemEvent(e *node, name string) {
	switch name {
	case semconv.EventGenAISystemMessage:
		if payload := c.open(e.get(semconv.GenAIEventContent)); payload.isObject() {
			e = payload
		}
		c.systemParts(e.any("content"))
	case semconv.EventGenAISystemInstructions, semconv.GenAISystemInstructions:
		c.systemParts(e.get(semconv.GenAIEventContent))
	case semconv.EventGenAIClientInferenceOperationDetails:
		c.systemParts(e.get(semconv.GenAISystemInstructions))
	}
}
