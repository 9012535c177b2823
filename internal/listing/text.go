package listing

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// TextOptions is what the writer knows of the reader.
type TextOptions struct {
	Width int  // columns of the terminal, 0 for no limit
	Color bool // escape sequences are understood
}

// column is one column of the table. On a narrow terminal a column with min is
// shortened to it, and one with drop is left out, the highest first. Ids and
// classes are neither: they are typed again.
type column struct {
	title string
	cell  func(Row) string
	min   int
	drop  int
	right bool
}

var columns = []column{
	{title: "STARTED", cell: started},
	{title: "TASK", cell: shownID},
	{title: "TENANT", cell: func(r Row) string { return Inert(r.Tenant) }, min: 8, drop: 1},
	{title: "OUTCOME", cell: func(r Row) string { return Inert(r.Outcome) }},
	{title: "EVIDENCE", cell: func(r Row) string { return Inert(r.Supported) }},
	{title: "CLASS", cell: func(r Row) string { return Inert(r.Class) }},
	{title: "SPANS", cell: func(r Row) string { return strconv.Itoa(r.Spans) }, drop: 5, right: true},
	{title: "ERRORS", cell: func(r Row) string { return strconv.Itoa(r.Errors) }, drop: 6, right: true},
	{title: "SERVICE", cell: func(r Row) string { return Inert(r.Service) }, min: 8, drop: 2},
	{title: "AGENT", cell: func(r Row) string { return Inert(r.Agent) }, min: 8, drop: 3},
	{title: "SESSION", cell: func(r Row) string { return Inert(r.Session) }, min: 8, drop: 4},
	{title: "NAME", cell: func(r Row) string { return Inert(r.Name) }, min: 12, drop: 7},
}

// widest bounds every column: one long id must not widen all lines, and goes
// beyond its column in its own line. The JSON form has even the longest whole.
const (
	widest    = 64
	longestID = 1024
)

// shownDigits is how much of a trace id is shown: enough that two of one store
// do not meet, and more than the task command asks for.
const shownDigits = 12

func shownID(r Row) string {
	if r.trace && len(r.ID) > shownDigits {
		return r.ID[:shownDigits]
	}
	return Inert(r.ID)
}

func started(r Row) string {
	t, err := time.Parse(time.RFC3339Nano, r.Start)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// WriteText writes a table of the rows in their order; times are UTC. A column
// that is empty in every row is left out.
func WriteText(w io.Writer, rows []Row, opt TextOptions) error {
	var cols []column
	var widths []int
	for _, c := range columns {
		width := 0
		for _, r := range rows {
			width = max(width, utf8.RuneCountInString(c.cell(r)))
		}
		if width > 0 {
			cols, widths = append(cols, c), append(widths, min(max(width, len(c.title)), widest))
		}
	}
	cols, widths = fit(cols, widths, opt.Width)
	var b strings.Builder
	if len(rows) > 0 {
		writeLine(&b, cols, widths, func(c column) string { return c.title }, "1", opt.Color)
	}
	for _, r := range rows {
		writeLine(&b, cols, widths, func(c column) string { return c.cell(r) }, tone(r), opt.Color)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fit makes the table as narrow as limit if it can: it leaves columns out until
// the rest fits when shortened, then shortens no more than it must, from the
// last column on.
func fit(cols []column, widths []int, limit int) ([]column, []int) {
	if limit <= 0 {
		return cols, widths
	}
	for {
		least, last := -2, -1
		for i, c := range cols {
			least += 2 + shortest(c, widths[i])
			if c.drop > 0 && (last < 0 || c.drop > cols[last].drop) {
				last = i
			}
		}
		if least <= limit || last < 0 {
			break
		}
		cols, widths = slices.Delete(cols, last, last+1), slices.Delete(widths, last, last+1)
	}
	excess := -2 - limit
	for _, n := range widths {
		excess += n + 2
	}
	for i := len(cols) - 1; i >= 0 && excess > 0; i-- {
		cut := min(excess, widths[i]-shortest(cols[i], widths[i]))
		widths[i], excess = widths[i]-cut, excess-cut
	}
	return cols, widths
}

func shortest(c column, width int) int {
	if c.min == 0 {
		return width
	}
	return min(c.min, width)
}

func writeLine(b *strings.Builder, cols []column, widths []int, cell func(column) string, tone string, colour bool) {
	var line strings.Builder
	for i, c := range cols {
		if i > 0 {
			line.WriteString("  ")
		}
		pad := -widths[i]
		if c.right {
			pad = widths[i]
		}
		room := widths[i]
		if c.min == 0 {
			room = max(room, longestID)
		}
		fmt.Fprintf(&line, "%*s", pad, Cut(cell(c), room))
	}
	text := strings.TrimRight(line.String(), " ")
	if colour && tone != "" {
		text = "\x1b[" + tone + "m" + text + "\x1b[0m"
	}
	b.WriteString(text + "\n")
}

// tone is the colour of a row; the columns say the same in words.
func tone(r Row) string {
	switch {
	case r.Class != "" && r.Class != "error":
		return "31"
	case r.Class == "error" || r.Outcome == "failed":
		return "33"
	}
	return ""
}
