package mapping

import "strings"

// isItem reports whether an object is an item of a response: a list of items
// has calls and answers beside messages, and no roles.
func (c *content) isItem(n *node) bool {
	switch typ := n.get("type").word(); typ {
	case "message":
		return n.any("content") != nil
	case "function_call", "custom_tool_call":
		return n.get("call_id") != nil || n.get("name").isString() && n.get("arguments").isString()
	case "function_call_output", "custom_tool_call_output":
		return n.get("call_id") != nil
	case "reasoning":
		return n.get("summary") != nil || n.get("encrypted_content") != nil && n.get("text") == nil
	default:
		return strings.HasSuffix(typ, "_call") && typ != "tool_call" && n.get("status") != nil
	}
}

// item writes an item of a response as a message of its own.
func (c *content) item(n *node) bool {
	if !c.isItem(n) {
		return false
	}
	c.changed = true
	role := "assistant"
	switch typ := n.get("type").word(); typ {
	case "message":
		if n.any("role") == nil {
			n.get("type").read = true
			c.message(n, "assistant", nil)
			return true
		}
		return false
	case "function_call_output", "custom_tool_call_output":
		role = "tool"
		c.start(role, nil)
		c.answer(n)
	case "function_call", "custom_tool_call":
		c.start(role, nil)
		c.call(n)
	case "reasoning":
		c.start(role, nil)
		c.reasoning(n)
	default:
		c.start(role, nil)
		c.begin(typ)
		c.close(n)
	}
	c.end(c.itemReason(role))
	return true
}

func (c *content) itemReason(role string) string {
	if role == "tool" {
		return ""
	}
	return c.positional(c.written - 1)
}
