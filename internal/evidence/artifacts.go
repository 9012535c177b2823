package evidence

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// product says that a step produced an artifact.
type product struct {
	at   *node
	time int64
}

// artifacts returns who produced what, by id and by hash, oldest first. Without
// a stated role the first step that has an artifact produced it.
func (x *index) artifacts() map[string][]product {
	type mention struct {
		product
		role string
	}
	seen := map[string][]mention{}
	note := func(a Attrs, p product) {
		for _, key := range []string{semconv.AppArtifactID, semconv.AppArtifactHash} {
			if id := a.Str(key); id != "" {
				seen[id] = append(seen[id], mention{p, a.Str(semconv.AppArtifactRole)})
				x.holders[id] = append(x.holders[id], p.at)
			}
		}
	}
	x.holders = map[string][]*node{}
	for _, n := range x.nodes {
		if n.has&hasArtifact != 0 {
			note(n.span.Attrs, product{n, n.span.End})
		}
		for i := range n.span.Events {
			if e := &n.span.Events[i]; canonicalEvent(e.Name) {
				note(e.Attrs, product{n, e.Time})
			}
		}
		for _, r := range n.records {
			if r.Event != semconv.EventGenAIEvaluationResult {
				note(r.Attrs, product{n, r.Time})
			}
		}
	}
	made := make(map[string][]product, len(seen))
	for id, all := range seen {
		for i := range all {
			all[i].time += x.behind[all[i].at.span.ID.Trace]
		}
		slices.SortStableFunc(all, func(a, b mention) int { return compareInts(a.time, b.time) })
		for i, m := range all {
			if m.role == semconv.AppArtifactRoleProduced || m.role == "" && i == 0 && !m.at.judgesAnother(x) {
				made[id] = append(made[id], m.product)
			}
		}
	}
	return made
}

// judgesAnother reports whether a step names things only because it judges them.
func (n *node) judgesAnother(x *index) bool {
	_, judged := judgedAbove(n)
	return judged || n.verifies(x) || len(n.facts.Verdicts) > 0
}

// producer returns the latest step that had produced an artifact by then.
func producer(all []product, t int64) *node {
	var n *node
	for _, p := range all {
		if p.time <= t {
			n = p.at
		}
	}
	return n
}

// parseStep reads a span id, or a trace id and a span id with a separator
// between them; a traceparent is one of these.
func parseStep(id string) (StepID, bool) {
	id = strings.ToLower(id)
	if len(id) == 55 && strings.HasPrefix(id, "00-") {
		id = id[3:52]
	}
	var s StepID
	switch len(id) {
	case 16:
		_, err := hex.Decode(s.Span[:], []byte(id))
		return s, err == nil
	case 49:
		_, err := hex.Decode(s.Trace[:], []byte(id[:32]))
		_, err2 := hex.Decode(s.Span[:], []byte(id[33:]))
		return s, err == nil && err2 == nil && strings.ContainsRune("/-:.", rune(id[32]))
	}
	return s, false
}
