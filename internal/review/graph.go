package review

import (
	"cmp"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Graph is who did what with whom in a run, laid out in columns: agents, each to the
// right of the one that called it, then tools and models, then what is beyond.
type Graph struct {
	Tenant string     `json:"tenant"`
	Task   Ref        `json:"task"`
	Nodes  []Node     `json:"nodes"`
	Edges  []Arrow    `json:"edges"`
	Width  int        `json:"-"`
	Height int        `json:"-"`
	Heads  []ColumnAt `json:"-"`
	More   int        `json:"left_out"` // nodes that are not drawn
}

// Node is an agent, tool, model or peer.
type Node struct {
	Kind   string `json:"kind"` // agent, tool, model, peer
	Name   string `json:"name"`
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"`
	First  bool   `json:"first_wrong_step"`
	Place  string `json:"place"` // of its first step, the failed one if there is one

	X, Y   int `json:"-"`
	column int
}

// Arrow is calls from one node to another.
type Arrow struct {
	From   int    `json:"from"` // number of a node
	To     int    `json:"to"`
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"`
	What   string `json:"what"` // calls, delegates

	Path   string `json:"-"`
	LX, LY int    `json:"-"`
	Wide   int    `json:"-"`
}

// ColumnAt is the head of a column.
type ColumnAt struct {
	X    int
	Text string
}

// maxNodes bounds what is drawn.
const maxNodes = 80

type nodeKey struct{ kind, name string }

// NewGraph draws a run.
func NewGraph(r *evidence.Reading) Graph {
	steps := r.Steps()
	s := r.Summary()
	trace := ""
	if len(steps) > 0 {
		trace = steps[0].Span.ID.Trace.String()
	}
	g := Graph{Tenant: s.Tenant, Task: Ref{title(evidence.TaskID(s.ID)), runPlace(s.Tenant, s.ID, trace)}, Nodes: []Node{}, Edges: []Arrow{}}
	at := map[nodeKey]int{}
	node := func(kind, name string, s *evidence.Step) int {
		if name == "" {
			name = "(unnamed)"
		}
		k := nodeKey{kind, name}
		i, ok := at[k]
		if !ok {
			if len(g.Nodes) == maxNodes {
				g.More++
				return -1
			}
			i = len(g.Nodes)
			at[k] = i
			g.Nodes = append(g.Nodes, Node{Kind: kind, Name: name, Place: stepPlace(s)})
		}
		return i
	}
	arrows := map[[2]int]int{}
	arrow := func(from, to int, what string, failed bool) {
		if from < 0 || to < 0 || from == to {
			return
		}
		i, ok := arrows[[2]int{from, to}]
		if !ok {
			i = len(g.Edges)
			arrows[[2]int{from, to}] = i
			g.Edges = append(g.Edges, Arrow{From: from, To: to, What: what})
		}
		g.Edges[i].Calls++
		if failed {
			g.Edges[i].Failed++
		}
	}
	call := func(i int, s *evidence.Step) {
		if i < 0 {
			return
		}
		n := &g.Nodes[i]
		n.Calls++
		if s.Failed {
			if n.Failed == 0 {
				n.Place = stepPlace(s)
			}
			n.Failed++
		}
		if s.First {
			n.First, n.Place = true, stepPlace(s)
		}
	}
	own := make([]int, len(steps)) // node of each step, -1 without
	for i := range steps {
		s := &steps[i]
		own[i] = -1
		switch kindOf(s) {
		case "agent":
			own[i] = node("agent", s.Agent, s)
		case "tool":
			if s.Tool {
				own[i] = node("tool", cmp.Or(s.Span.Attrs.Str(semconv.GenAIToolName), s.Span.Name), s)
			}
		case "model":
			if m := cmp.Or(s.Span.Attrs.Str(semconv.GenAIRequestModel), s.Span.Attrs.Str(semconv.GenAIResponseModel)); m != "" {
				own[i] = node("model", m, s)
			}
		}
		peer := ""
		if name := s.Span.Attrs.Str(semconv.AppProtocolName); name != "" {
			peer = strings.TrimSpace(name + " " + s.Span.Attrs.Str(semconv.ServerAddress))
		}
		if own[i] >= 0 {
			call(own[i], s)
		}
		from := above(steps, own, i)
		if own[i] >= 0 {
			what := "calls"
			if from >= 0 && g.Nodes[from].Kind == "agent" && g.Nodes[own[i]].Kind == "agent" {
				what = "delegates"
			}
			arrow(from, own[i], what, s.Failed)
			from = own[i]
		}
		if peer != "" {
			p := node("peer", peer, s)
			call(p, s)
			arrow(from, p, "speaks to", s.Failed)
		}
	}
	g.layout()
	return g
}

// above is the node of the nearest ancestor that has one, by parent, else by link;
// a step without an agent above it has its own agent's node if there is one.
func above(steps []evidence.Step, own []int, i int) int {
	seen := map[int]bool{}
	for !seen[i] {
		seen[i] = true
		next := steps[i].Parent
		for _, l := range steps[i].Out {
			if next < 0 && l.Relation != semconv.AppLinkRelationFollows && l.Relation != semconv.AppLinkRelationRetries && l.Other < i {
				next = l.Other
			}
		}
		if next < 0 {
			return -1
		}
		if next < len(own) && own[next] >= 0 && next < i {
			return own[next]
		}
		i = next
	}
	return -1
}
