package review

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func TestGraphGoesFromCallerToCalled(t *testing.T) {
	run := twoTries()
	run.Spans[5].Attrs[semconv.AppProtocolName], run.Spans[5].Attrs[semconv.ServerAddress] = semconv.AppProtocolNameMCP, "mcp.example"
	g := NewGraph(evidence.Read(run))
	column := map[string]int{}
	for _, n := range g.Nodes {
		column[n.Kind+" "+n.Name] = n.column
		require.GreaterOrEqual(t, n.X, 0)
		require.LessOrEqual(t, n.Y+nodeHeight, g.Height)
	}
	require.Equal(t, map[string]int{"agent coder": 0, "agent helper": 1, "tool bash": 2, "peer mcp mcp.example": 3}, column)
	var lines []string
	for _, e := range g.Edges {
		lines = append(lines, g.Nodes[e.From].Name+" "+e.What+" "+g.Nodes[e.To].Name+" "+count(e.Calls, "time"))
	}
	require.ElementsMatch(t, []string{"coder calls bash 2 times", "coder delegates helper 1 time", "helper calls bash 1 time", "bash speaks to mcp mcp.example 1 time"}, lines)
}

// Agents that call each other in a circle are laid out too.
func TestGraphOfACircle(t *testing.T) {
	run := evidence.Run{Spans: []evidence.Span{
		span(1, 1, 0, 0, 10, agent("t", "a", 1)), span(1, 2, 1, 1, 9, agent("t", "b", 1)), span(1, 3, 2, 2, 8, agent("t", "a", 1)), span(1, 4, 3, 3, 7, agent("t", "b", 1)),
	}}
	g := NewGraph(evidence.Read(run))
	require.Len(t, g.Nodes, 2)
	require.Len(t, g.Edges, 2)
	require.Less(t, g.Width, 2000)
}

// An arrow that leads over columns passes them where no node is.
func TestNoArrowRunsBehindANode(t *testing.T) {
	flat := regexp.MustCompile(`([\d.]+) ([\d.]+)H([\d.]+)`)
	long := 0
	for seed := range uint64(planted.Kinds()) {
		g := NewGraph(evidence.Read(planted.New(seed).Run))
		for _, e := range g.Edges {
			way := flat.FindAllStringSubmatch(e.Path, -1)
			require.Len(t, way, max(g.Nodes[e.To].column-g.Nodes[e.From].column-1, 0), e.Path)
			for _, m := range way {
				long++
				x, err := strconv.ParseFloat(m[1], 64)
				require.NoError(t, err)
				y, err := strconv.ParseFloat(m[2], 64)
				require.NoError(t, err)
				for _, n := range g.Nodes {
					require.False(t, float64(n.X) == x && y > float64(n.Y) && y < float64(n.Y+nodeHeight), "%s runs behind %s", e.Path, n.Name)
				}
			}
		}
		for _, n := range g.Nodes {
			require.LessOrEqual(t, n.Y+nodeHeight, g.Height)
		}
	}
	require.Positive(t, long)
}
