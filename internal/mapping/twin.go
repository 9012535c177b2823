package mapping

import "bytes"

// Several emitters say a call twice: as a part of the content, often with no more
// than its id, and in a list beside it. It is one call, where the part stands.

// siblings is the list of calls beside a message's content; nil if there is none.
func (c *content) siblings(n *node) *node {
	for _, at := range []*node{n, n.get("additional_kwargs")} {
		if calls := c.open(at.any("tool_calls", "toolCalls")); calls.isList() && calls.first != nil {
			return calls
		}
	}
	return nil
}

// inside keeps the calls beside a message at hand while its parts are written.
// The result restores what was there before.
func (c *content) inside(n *node) (leave func()) {
	beside, taken := c.beside, c.taken
	c.beside, c.taken = c.siblings(n), nil
	return func() { c.beside, c.taken = beside, taken }
}

// unwrapped is a call without what only says that it is one.
func unwrapped(k *node) *node {
	if inner := k.get("tool_call"); inner.isObject() {
		return inner
	}
	return k
}

func (c *content) isTaken(k *node) bool {
	for _, t := range c.taken {
		if t == k {
			return true
		}
	}
	return false
}

// twin takes the call beside the content that has the id.
func (c *content) twin(id *node) *node {
	if c.beside == nil || !id.isString() || id.word() == "" {
		return nil
	}
	for k := c.beside.first; k != nil; k = k.next {
		call := unwrapped(k)
		if !c.isTaken(call) && call.any(callIDs...).word() == id.word() {
			c.taken = append(c.taken, call)
			return call
		}
	}
	return nil
}

// nextTwin takes the first call beside the content that is not written yet, for
// a part that only marks where one stands.
func (c *content) nextTwin() *node {
	if c.beside == nil {
		return nil
	}
	for k := c.beside.first; k != nil; k = k.next {
		if call := unwrapped(k); call.isObject() && !c.isTaken(call) {
			c.taken = append(c.taken, call)
			return call
		}
	}
	return nil
}

// settleTwin marks what a call says again as read. What it says otherwise cannot
// be represented, so that the source stays.
func (c *content) settleTwin(chosen, again *node) {
	if again == nil || again == chosen {
		return
	}
	if chosen != nil && bytes.Equal(appendNode(nil, c.open(chosen), false), appendNode(nil, c.open(again), false)) {
		again.read = true
		return
	}
	if says(again) {
		c.lossy = true
	}
	again.read = true
}

// says reports whether a member holds anything.
func says(n *node) bool {
	if n == nil || n.kind == nodeNull || n.isString() && n.word() == "" {
		return false
	}
	return !(n.isObject() || n.isList()) || n.first != nil
}
