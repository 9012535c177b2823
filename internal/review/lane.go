package review

import (
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// laid is a lane with the heights of its steps.
type laid struct {
	Lane
	rows []int // by place in the lane
}

// layLane gives every step of a lane a row: below its parent, and beside nothing
// that runs at the same time as long as there are rows.
func layLane(steps []evidence.Step, list []int, alone map[int]bool, room *room, a axis, top int) laid {
	l := laid{Lane: Lane{Top: top, Steps: len(list)}, rows: make([]int, len(list))}
	marks, used := l.placeGlyphs(steps, list, room, a, top+laneHead)
	first := top + laneHead + used*glyphRow
	rowOf := map[int]int{}
	var free []int64 // end of the last step of each row
	var crowd crowd
	most := 0
	for at, i := range list {
		s := &steps[i]
		row := 0
		if p, ok := rowOf[s.Parent]; ok {
			row = p + 1
		}
		for row < len(free) && row < maxRows-1 && free[row] > s.Span.Start {
			row++
		}
		row = min(row, maxRows-1)
		for len(free) <= row {
			free = append(free, -1<<63)
		}
		free[row] = max(free[row], s.Span.End)
		rowOf[i] = row
		most = max(most, row)
		y := first + row*barStep
		l.rows[at] = y
		if s.Failed {
			l.Trouble++
		}
		x := a.at(s.Span.Start)
		w := max(a.at(s.Span.End)-x, 1.5)
		if !alone[i] {
			crowd.add(row, x, x+w)
			continue
		}
		l.Bars = append(l.Bars, Bar{
			X: x, W: w, Y: y, Label: labelOf(s), Title: told(s, a.start), Kind: kindOf(s), Failed: s.Failed, First: s.First, Place: stepPlace(s), N: i,
		})
	}
	l.Glyphs = marks
	l.Crowd = crowd.outline()
	l.Height = laneHead + used*glyphRow + (most+1)*barStep + laneFoot
	return l
}

// crowd is stretches of each row that are taken by steps without a bar of their own.
type crowd [maxRows][][2]float64

// add takes a stretch; those of a row come in the order of their beginnings.
func (c *crowd) add(row int, from, to float64) {
	const nobodySees = 1 // thousandths between two
	if n := len(c[row]); n > 0 && from <= c[row][n-1][1]+nobodySees {
		c[row][n-1][1] = max(c[row][n-1][1], to)
		return
	}
	c[row] = append(c[row], [2]float64{from, to})
}

// outline is a path of lines as thick as a bar.
func (c *crowd) outline() string {
	var b strings.Builder
	for row, stretches := range c {
		for _, s := range stretches {
			b.WriteString("M" + number(s[0]) + " " + strconv.Itoa(row*barStep+barHeight/2) + "h" + number(s[1]-s[0]))
		}
	}
	return b.String()
}

// number writes thousandths without what nobody sees.
func number(f float64) string { return strconv.FormatFloat(float64(int(f*10+0.5))/10, 'f', -1, 64) }

// CrowdTop is where the rows of a lane begin.
func (l *Lane) CrowdTop() int {
	return l.Top + l.Height - l.CrowdHeight() - laneFoot
}

// CrowdHeight is the height of all rows of a lane.
func (l *Lane) CrowdHeight() int {
	glyphRows := 0
	for _, g := range l.Glyphs {
		glyphRows = max(glyphRows, (g.Y-l.Top-laneHead)/glyphRow+1)
	}
	return l.Height - laneHead - laneFoot - glyphRows*glyphRow
}

// told is a bar in one line.
func told(s *evidence.Step, start int64) string {
	text := nameOf(s) + ", " + offset(s.Span.Start-start) + ", took " + took(s.Span.Start, s.Span.End)
	if s.Agent != "" {
		text += ", by " + s.Agent
	}
	if s.First {
		text += ", first wrong step"
	}
	if s.Failed {
		text += ", failed"
	}
	for _, m := range s.Marks {
		text += "; " + m.Kind + ": " + m.Text
	}
	return text
}
