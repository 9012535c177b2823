package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// heritage remembers what a step has from its surroundings under one key.
type heritage struct {
	chain, links         string
	chainDone, linksDone bool
	chainBusy, linksBusy bool
}

// inherited returns the value of the step, else of its nearest ancestor by
// parent, else of its nearest ancestor by link. A cycle of parents or links
// gives nothing.
func (x *index) inherited(n *node, key string) string {
	if n == nil {
		return ""
	}
	return full(n, key, x.memo(key), false)
}

// perhapsInherited is inherited, also over links that do not say what they are.
func (x *index) perhapsInherited(n *node, key string) string {
	return full(n, key, x.memo("perhaps "+key), true)
}

func (x *index) memo(key string) []heritage {
	memo := x.inherit[key]
	if memo == nil {
		memo = make([]heritage, len(x.nodes))
		if x.inherit == nil {
			x.inherit = map[string][]heritage{}
		}
		x.inherit[key] = memo
	}
	return memo
}

func full(n *node, key string, memo []heritage, loose bool) string {
	if v := byParent(n, key, memo); v != "" {
		return v
	}
	return byLink(n, key, memo, loose)
}

func byParent(n *node, key string, memo []heritage) string {
	var path []*node
	value := ""
	for p := n; p != nil; p = p.parent {
		h := &memo[p.at]
		if h.chainDone {
			value = h.chain
			break
		}
		if h.chainBusy {
			break
		}
		if value = p.str(key); value != "" {
			h.chain, h.chainDone = value, true
			break
		}
		h.chainBusy = true
		path = append(path, p)
	}
	for _, p := range path {
		h := &memo[p.at]
		h.chain, h.chainDone, h.chainBusy = value, true, false
	}
	return value
}

func byLink(n *node, key string, memo []heritage, loose bool) string {
	var path []*node
	value := ""
climb:
	for p := n; p != nil; p = p.parent {
		h := &memo[p.at]
		if h.linksDone {
			value = h.links
			break
		}
		if h.linksBusy {
			break
		}
		h.linksBusy = true
		path = append(path, p)
		for _, e := range p.to {
			if authorityKey(key) && !e.descends() && !(loose && e.relation == semconv.AppLinkRelationRelated) {
				continue
			}
			if value = full(e.step, key, memo, loose); value != "" {
				break climb
			}
		}
	}
	for _, p := range path {
		h := &memo[p.at]
		h.links, h.linksDone, h.linksBusy = value, true, false
	}
	return value
}

// authorityKey reports whether only who works on another's behalf has it of him.
func authorityKey(key string) bool {
	return key == semconv.AppAuthorityResource || key == semconv.AppAuthorityExpiresAt
}
