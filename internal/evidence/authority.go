package evidence

import (
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// below reports whether a target is the resource or lies below it; both are
// paths with slashes. Dots that climb are followed, so that a path cannot talk
// its way out.
func below(target, resource string) bool {
	t, r := segments(target), segments(resource)
	return len(t) >= len(r) && slices.Equal(t[:len(r)], r)
}

func segments(path string) []string {
	path = strings.TrimSuffix(path, "/")
	if !strings.Contains(path, "/.") && !strings.HasPrefix(path, ".") {
		return strings.Split(path, "/")
	}
	var out []string
	for _, s := range strings.Split(path, "/") {
		switch {
		case s == ".":
		case s == ".." && len(out) > 0 && out[len(out)-1] != "..":
			out = out[:len(out)-1]
		default:
			out = append(out, s)
		}
	}
	return out
}

// delegation is what is stated of one cut of authority. Unstated parts are zero.
type delegation struct {
	id, parent string
	first      *node
	uses       []*node
	operations []string
	expires    string
	audience   string
	resource   string
}

func (x *index) breachesOfDelegation() {
	byID := map[string]*delegation{}
	var all []*delegation
	for _, n := range x.nodes {
		if n.has&hasAuthority == 0 {
			continue
		}
		id := n.str(semconv.AppAuthorityDelegationID)
		if id == "" {
			continue
		}
		d := byID[id]
		if d == nil {
			d = &delegation{id: id, first: n}
			byID[id] = d
			all = append(all, d)
		}
		d.uses = append(d.uses, n)
		fill(&d.parent, n.str(semconv.AppAuthorityDelegationParentID))
		fill(&d.expires, n.str(semconv.AppAuthorityExpiresAt))
		fill(&d.audience, n.str(semconv.AppAuthorityAudience))
		fill(&d.resource, n.str(semconv.AppAuthorityResource))
		if d.operations == nil {
			d.operations = n.list(semconv.AppAuthorityOperations)
		}
	}
	for _, d := range all {
		if p := byID[d.parent]; p != nil && p != d && wider(d, p) {
			x.breaches = append(x.breaches, breach{rule: ruleDelegation, at: d.first, time: d.first.span.End})
		}
	}
	x.breachesOfExpiry(byID)
}

// wider compares what both sides state.
func wider(child, parent *delegation) bool {
	if child.operations != nil && parent.operations != nil {
		for _, op := range child.operations {
			if !slices.Contains(parent.operations, op) {
				return true
			}
		}
	}
	if child.audience != "" && parent.audience != "" && child.audience != parent.audience {
		return true
	}
	if child.resource != "" && parent.resource != "" && !below(child.resource, parent.resource) {
		return true
	}
	c, okC := expiry(child.expires)
	p, okP := expiry(parent.expires)
	return okC && okP && c > p
}

// breachesOfExpiry looks for use after the end: a step that states the
// authority, or a call under it, that began later and was not turned away.
func (x *index) breachesOfExpiry(byID map[string]*delegation) {
	if !slices.ContainsFunc(x.nodes, func(n *node) bool { return n.has&hasAuthority != 0 }) {
		return
	}
	for _, n := range x.nodes {
		own := n.str(semconv.AppAuthorityExpiresAt)
		id := n.str(semconv.AppAuthorityDelegationID)
		call := n.isCall() && (n.owner == nil || n.owner == n)
		if own == "" && id == "" && !call {
			continue
		}
		until := own
		if d := byID[id]; until == "" && d != nil {
			until = d.expires
		}
		if until == "" && call {
			until = x.inherited(n, semconv.AppAuthorityExpiresAt)
		}
		told := until != ""
		if !told && call {
			until = x.perhapsInherited(n, semconv.AppAuthorityExpiresAt)
		}
		end, ok := expiry(until)
		if !ok || n.span.Start <= end || x.refused(n) || n.failed && n.error == deniedError {
			continue
		}
		if !told {
			x.untold = append(x.untold, did(n))
			continue
		}
		x.breaches = append(x.breaches, breach{rule: ruleExpired, at: did(n), time: n.span.End})
	}
}

// did returns the step that answers for what its client spans do.
func did(n *node) *node {
	if n.owner != nil {
		return n.owner
	}
	return n
}

func expiry(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0, false
	}
	return t.UnixNano(), true
}
