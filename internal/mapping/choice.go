package mapping

// Members by which an element of a flattened list is a message although it
// states no role.
var bareMembers = append([]string{"content", "tool_calls", "function_call", "refusal"}, finishMembers...)

// isBare reports whether an element of a flattened list is a message whose role
// is the side's own. Emitters leave the role out where it can only be one. One
// that is nothing but a call is a call: some number the calls, not the choices.
func (c *content) isBare(n *node) bool {
	return c.flat && n.isObject() && n.any(bareMembers...) != nil && n.get(eventNameMember) == nil && !n.only("function_call")
}

// flatMessages reads a list whose elements were flattened into indexed keys. An
// element that says nothing but why it ended still is a choice, if another one
// says more.
func (c *content) flatMessages(list *node) bool {
	if !c.flat || !list.isList() || list.first == nil {
		return false
	}
	says := false
	for k := list.first; k != nil; k = k.next {
		if !c.isMessage(k) && !c.isBare(k) && !isRoleNamed(k) {
			return false
		}
		says = says || !k.only(append([]string{"role"}, finishMembers...)...) || k.get("role") != nil
	}
	if !says {
		return false
	}
	for k := list.first; k != nil; k = k.next {
		if isRoleNamed(k) {
			c.single(roleWords[k.first.name], k.first)
		} else {
			c.message(k, "", nil)
		}
	}
	return true
}

// isRoleNamed reports whether an element is a text under the name of its role,
// as in prompt.0.user.
func isRoleNamed(n *node) bool {
	return n.isObject() && n.first != nil && n.first == n.last && n.first.isString() && roleWords[n.first.name] != ""
}

// ownReasons drops the record's finish reasons if messages state their own and
// the record's are fewer: whose they are is not said.
func (c *content) ownReasons(list *node) {
	if c.side == sideInput || !list.isList() {
		return
	}
	n, own := 0, false
	for k := list.first; k != nil; k = k.next {
		n++
		own = own || k.isObject() && k.any(finishMembers...).isString()
	}
	if own && n != len(c.finish) {
		c.finish = nil
	}
}

// thoughtBeside reads whole messages beside what the model thought: that is the
// first part of the first answer, unless the messages have thoughts themselves.
func (c *content) thoughtBeside(roots []*node) bool {
	var thought, messages *node
	for _, r := range roots {
		switch r.name {
		case "reasoning", "thinking", "reasoning_content":
			thought = r
		default:
			if opened := c.open(r); opened.isList() && c.isMessage(opened.first) {
				messages = opened
			}
		}
	}
	if thought == nil || messages == nil || len(roots) != 2 {
		return false
	}
	if !hasThought(messages) {
		c.thought = thought
	}
	c.find(messages, 0)
	return true
}

func hasThought(messages *node) bool {
	for m := messages.first; m != nil; m = m.next {
		parts := m.any("parts", "content")
		if !parts.isList() {
			continue
		}
		for p := parts.first; p != nil; p = p.next {
			if typ := p.get("type").word(); typ == "reasoning" || typ == "thinking" {
				return true
			}
		}
	}
	return false
}
