package review

import (
	"cmp"
	"slices"
	"strings"
)

// Measures of the drawing, in pixels.
const (
	nodeWidth  = 184
	nodeHeight = 46
	laneWidth  = 10 // of arrows that pass a column
	columnGap  = 88
	rowGap     = 18
	graphTop   = 40
)

// spot is a place in a column: of a node, or of arrows that pass the column on their
// way to a node beyond.
type spot struct {
	node   int
	passed bool
	y      int // of its middle
}

func (s *spot) height() int {
	if s.passed {
		return laneWidth
	}
	return nodeHeight
}

// layout puts nodes into columns by the longest way from an agent that nobody
// called, and orders each column by what stands to the left of it. No arrow runs
// behind a node: one that leads further than to the next column has a spot in each
// column between, shared by all that lead to the same node.
func (g *Graph) layout() {
	columns := g.columns()
	for _, list := range columns {
		g.Height = max(g.Height, graphTop+tall(list))
	}
	g.Width = len(columns)*(nodeWidth+columnGap) - columnGap + 2
	reached := make([]int, len(g.Edges)) // height at which each arrow has come so far
	ways := make([][]int, len(g.Edges))  // heights at which it passes columns
	for c, list := range columns {
		g.place(c, list, reached)
		for i := range g.Edges {
			e := &g.Edges[i]
			for _, s := range list {
				switch {
				case s.passed && s.node == e.To && g.Nodes[e.From].column < c:
					reached[i], ways[i] = s.y, append(ways[i], s.y)
				case !s.passed && s.node == e.From:
					reached[i] = s.y
				}
			}
		}
		g.Heads = append(g.Heads, ColumnAt{left(c), g.kinds(list)})
	}
	most := 1
	for _, e := range g.Edges {
		most = max(most, e.Calls)
	}
	for i := range g.Edges {
		g.Edges[i].draw(g, ways[i], most)
	}
}

func left(column int) int { return column*(nodeWidth+columnGap) + 1 }

func tall(list []*spot) (sum int) {
	for _, s := range list {
		sum += s.height() + rowGap
	}
	return sum
}

// columns finds the column of every node, and what is in each column.
func (g *Graph) columns() [][]*spot {
	for range len(g.Nodes) { // enough for every chain; circles stop growing
		changed := false
		for _, e := range g.Edges {
			if c := g.Nodes[e.From].column + 1; c > g.Nodes[e.To].column && c <= 8 && !g.reaches(e.To, e.From) {
				g.Nodes[e.To].column, changed = c, true
			}
		}
		if !changed {
			break
		}
	}
	last := 0
	for i := range g.Nodes {
		last = max(last, g.Nodes[i].column)
	}
	out := make([][]*spot, last+1)
	for i := range g.Nodes {
		to := g.Nodes[i].column
		out[to] = append(out[to], &spot{node: i})
		first := to
		for _, e := range g.Edges {
			if e.To == i {
				first = min(first, g.Nodes[e.From].column+1)
			}
		}
		for c := first; c < to; c++ {
			out[c] = append(out[c], &spot{node: i, passed: true})
		}
	}
	return out
}

// place orders a column by the mean height of what leads there, and gives its spots
// their heights.
func (g *Graph) place(column int, list []*spot, reached []int) {
	weight := map[*spot]float64{}
	for _, s := range list {
		n := 0
		for i, e := range g.Edges {
			if e.To == s.node && g.Nodes[e.From].column < column {
				weight[s] += float64(reached[i])
				n++
			}
		}
		weight[s] /= float64(max(n, 1))
	}
	slices.SortStableFunc(list, func(a, b *spot) int { return cmp.Compare(weight[a], weight[b]) })
	y := graphTop + (g.Height-graphTop-tall(list))/2
	for _, s := range list {
		s.y = y + s.height()/2
		if !s.passed {
			g.Nodes[s.node].X, g.Nodes[s.node].Y = left(column), y
		}
		y += s.height() + rowGap
	}
}

// kinds is what a column holds.
func (g *Graph) kinds(list []*spot) string {
	var kinds []string
	for _, s := range list {
		if plural := g.Nodes[s.node].Kind + "s"; !s.passed && !slices.Contains(kinds, plural) {
			kinds = append(kinds, plural)
		}
	}
	return strings.Join(kinds, ", ")
}

// reaches reports whether arrows lead from one node to another.
func (g *Graph) reaches(from, to int) bool {
	seen := map[int]bool{}
	todo := []int{from}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == to {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, e := range g.Edges {
			if e.From == n {
				todo = append(todo, e.To)
			}
		}
	}
	return false
}

// draw makes a curve from the right side of a node to the left side of the other,
// through the columns between at the heights of its way.
func (a *Arrow) draw(g *Graph, way []int, most int) {
	a.Wide = 1 + a.Calls*3/most
	from, to := &g.Nodes[a.From], &g.Nodes[a.To]
	if to.column <= from.column { // back, or beside: around below
		x1, x2 := from.X+nodeWidth/2, to.X+nodeWidth/2
		y1, y2 := from.Y+nodeHeight, to.Y+nodeHeight
		a.Path = "M" + ints(x1, y1) + "C" + ints(x1, y1+40) + " " + ints(x2, y2+40) + " " + ints(x2, y2+6)
		a.LX, a.LY = (x1+x2)/2, max(y1, y2)+34
		return
	}
	const bend = columnGap / 2
	x, y := from.X+nodeWidth, from.Y+nodeHeight/2
	curve := func(toX, toY int) {
		a.Path += "C" + ints(x+bend, y) + " " + ints(toX-bend, toY) + " " + ints(toX, toY)
		x, y = toX, toY
	}
	a.Path = "M" + ints(x, y)
	for i, passes := range way {
		curve(left(from.column+1+i), passes)
		x += nodeWidth
		a.Path += "H" + number(float64(x))
	}
	curve(to.X-6, to.Y+nodeHeight/2)
	a.LX, a.LY = x-columnGap/2+20, y-6
}

func ints(x, y int) string { return number(float64(x)) + " " + number(float64(y)) }
