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
	What   string `json:"what"` // calls, delegates, speaks to

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
	k := sketch{
		Graph: Graph{Tenant: s.Tenant, Task: Ref{title(evidence.TaskID(s.ID)), runPlace(s.Tenant, s.ID, trace)}, Nodes: []Node{}, Edges: []Arrow{}},
		nodes: map[nodeKey]int{}, arrows: map[[2]int]int{},
	}
	own := make([]int, len(steps)) // node of each step, -1 without
	for i := range steps {
		own[i] = k.own(&steps[i])
		k.add(&steps[i], own[i], above(steps, own, i))
	}
	k.layout()
	return k.Graph
}

// sketch is a graph to which steps are added.
type sketch struct {
	Graph
	nodes  map[nodeKey]int
	arrows map[[2]int]int // by the nodes that they lead from and to
}

// own is the node of a step itself, -1 if it has none.
func (k *sketch) own(s *evidence.Step) int {
	switch kindOf(s) {
	case "agent":
		return k.node("agent", s.Agent, s)
	case "tool":
		if s.Tool {
			return k.node("tool", cmp.Or(s.Span.Attrs.Str(semconv.GenAIToolName), s.Span.Name), s)
		}
	case "model":
		if m := cmp.Or(s.Span.Attrs.Str(semconv.GenAIRequestModel), s.Span.Attrs.Str(semconv.GenAIResponseModel)); m != "" {
			return k.node("model", m, s)
		}
	}
	return -1
}

// add counts a step at its node and at the peer that it speaks to; from is the node
// above it.
func (k *sketch) add(s *evidence.Step, own, from int) {
	if own >= 0 {
		k.call(own, s)
		what := "calls"
		if from >= 0 && k.Nodes[from].Kind == "agent" && k.Nodes[own].Kind == "agent" {
			what = "delegates"
		}
		k.arrow(from, own, what, s.Failed)
		from = own
	}
	if name := s.Span.Attrs.Str(semconv.AppProtocolName); name != "" {
		peer := k.node("peer", strings.TrimSpace(name+" "+s.Span.Attrs.Str(semconv.ServerAddress)), s)
		k.call(peer, s)
		k.arrow(from, peer, "speaks to", s.Failed)
	}
}

// node finds or adds a node, -1 if there is no room for it.
func (k *sketch) node(kind, name string, s *evidence.Step) int {
	key := nodeKey{kind, cmp.Or(name, "(unnamed)")}
	if i, ok := k.nodes[key]; ok {
		return i
	}
	if len(k.Nodes) == maxNodes {
		k.More++
		return -1
	}
	k.nodes[key] = len(k.Nodes)
	k.Nodes = append(k.Nodes, Node{Kind: key.kind, Name: key.name, Place: stepPlace(s)})
	return len(k.Nodes) - 1
}

func (k *sketch) arrow(from, to int, what string, failed bool) {
	if from < 0 || to < 0 || from == to {
		return
	}
	i, ok := k.arrows[[2]int{from, to}]
	if !ok {
		i = len(k.Edges)
		k.arrows[[2]int{from, to}] = i
		k.Edges = append(k.Edges, Arrow{From: from, To: to, What: what})
	}
	k.Edges[i].Calls++
	if failed {
		k.Edges[i].Failed++
	}
}

// call counts a step at a node, whose place is the first step that failed, or the
// first wrong one.
func (k *sketch) call(node int, s *evidence.Step) {
	if node < 0 {
		return
	}
	n := &k.Nodes[node]
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
