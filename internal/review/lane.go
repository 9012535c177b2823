package review

import (
	"cmp"
	"slices"
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

// placeGlyphs puts marks above the bars at their times, in as many rows as they need
// up to a bound.
func (l *laid) placeGlyphs(steps []evidence.Step, list []int, room *room, a axis, top int) (out []Glyph, rows int) {
	var ends [maxGlyphs]float64
	for i := range ends {
		ends[i] = -1000
	}
	const width = 22 // of a mark, in thousandths
	for _, g := range glyphs(steps, list, room, a) {
		row, x := 0, g.X
		for row < maxGlyphs && ends[row] > x {
			row++
		}
		if row == maxGlyphs {
			row, x = 0, ends[0]
			for r := range ends {
				if ends[r] < x {
					row, x = r, ends[r]
				}
			}
			if x > 985 {
				continue // the story has it
			}
		}
		if room.left == 0 {
			break
		}
		room.left--
		ends[row] = x + width
		rows = max(rows, row+1)
		g.X, g.Y = x, top+row*glyphRow
		out = append(out, g)
	}
	return out, rows
}

// room is how many more marks a timeline has room for.
type room struct {
	left  int
	grave bool // there are so many that only the grave ones are shown
}

func roomFor(steps []evidence.Step) *room {
	total := 0
	for i := range steps {
		total += len(steps[i].Marks)
	}
	return &room{left: maxMarks, grave: total > maxMarks}
}

// glyphs are the marks of a lane by their time, which is that of their step unless a
// record tells it.
func glyphs(steps []evidence.Step, list []int, room *room, a axis) (out []Glyph) {
	for _, i := range list {
		s := &steps[i]
		for _, m := range s.Marks {
			if room.grave && m.Tone != evidence.ToneBad && m.Tone != evidence.ToneOdd {
				continue
			}
			at := cmp.Or(m.Time, s.Span.Start)
			out = append(out, Glyph{
				X: min(a.at(at), 985), Sign: sign(m), Kind: m.Kind, Tone: m.Tone,
				Title: m.Kind + ": " + m.Text + ", " + offset(at-a.start) + ", at " + nameOf(s), Place: stepPlace(s),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Glyph) int { return cmp.Compare(a.X, b.X) })
	return out
}

// sign is a mark as one letter, so that colour is not all that tells it apart.
func sign(m evidence.Mark) string {
	switch m.Kind {
	case evidence.MarkDecision:
		switch m.Tone {
		case evidence.ToneBad:
			return "⊗"
		case evidence.ToneOdd:
			return "⊘"
		}
		return "◆"
	case evidence.MarkEffect:
		if m.Tone == evidence.ToneOdd {
			return "◌"
		}
		return "●"
	case evidence.MarkControl:
		if m.Tone == evidence.ToneBad {
			return "⊠"
		}
		return "■"
	}
	switch m.Tone {
	case evidence.ToneBad:
		return "✕"
	case evidence.ToneOdd:
		return "?"
	}
	return "✓"
}
