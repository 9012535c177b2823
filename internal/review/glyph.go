package review

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Measures of marks, in thousandths.
const (
	glyphWidth = 22
	lastGlyph  = 985 // where the last one may stand
)

// placeGlyphs puts marks above the bars at their times, in as many rows as they need
// up to a bound.
func (l *laid) placeGlyphs(steps []evidence.Step, list []int, room *room, a axis, top int) (out []Glyph, rows int) {
	var ends [maxGlyphs]float64
	for i := range ends {
		ends[i] = -glyphWidth // nothing stands there
	}
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
			if x > lastGlyph {
				continue // the story has it
			}
		}
		if room.left == 0 {
			break
		}
		room.left--
		ends[row] = x + glyphWidth
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
				X: min(a.at(at), lastGlyph), Sign: sign(m), Kind: m.Kind, Tone: m.Tone,
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
