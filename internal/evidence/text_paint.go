package evidence

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// seg is a piece of a line in one style.
type seg struct {
	style string
	text  string
}

func plain(s string) seg { return seg{"", s} }
func bold(s string) seg  { return seg{"1", s} }
func dim(s string) seg   { return seg{"2", s} }
func bad(s string) seg   { return seg{"31;1", s} }
func odd(s string) seg   { return seg{"33;1", s} }
func good(s string) seg  { return seg{"32;1", s} }

// harmless makes text of others safe for a terminal: what is not printable,
// escape sequences and marks of writing direction among it, is spelled out.
func harmless(s string) string {
	ok := true
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// cells is the number of terminal columns of a rune: wide scripts take two,
// marks that combine take none.
func cells(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
		return 2
	}
	return 1
}

func cellsOf(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// cut shortens text to a number of columns.
func cut(s string, width int) string {
	if cellsOf(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += cells(r); n > width-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// line writes one line, cut at the width.
func (t *text) line(segs ...seg) {
	left := t.width
	for _, s := range segs {
		safe := cut(harmless(s.text), left)
		left -= cellsOf(safe)
		if t.color && s.style != "" && safe != "" {
			fmt.Fprintf(t.w, "\x1b[%sm%s\x1b[0m", s.style, safe)
		} else {
			t.w.WriteString(safe)
		}
		if left <= 0 {
			break
		}
	}
	t.w.WriteByte('\n')
}

func (t *text) blank() { t.w.WriteByte('\n') }

func (t *text) title(s string) {
	t.blank()
	t.line(bold(s))
}

const fieldWidth = 10

// field writes a name and what belongs to it, wrapped below itself.
func (t *text) field(name string, segs ...seg) {
	all := make([]seg, 0, len(segs))
	for _, s := range segs {
		all = append(all, seg{s.style, harmless(s.text)})
	}
	indent := strings.Repeat(" ", fieldWidth+2)
	row := []seg{dim(fmt.Sprintf("  %-*s", fieldWidth, name))}
	left := t.width - fieldWidth - 2
	flush := func() {
		t.line(row...)
		row = []seg{plain(indent)}
		left = t.width - fieldWidth - 2
	}
	for _, s := range all {
		for _, word := range strings.SplitAfter(s.text, " ") {
			if n := cellsOf(strings.TrimRight(word, " ")); n > left && left < t.width-fieldWidth-2 {
				flush()
			}
			if cellsOf(word) > left {
				word = strings.TrimRight(word, " ") // the space at the end of a line is not cut for
			}
			row = append(row, seg{s.style, word})
			left -= cellsOf(word)
		}
	}
	t.line(row...)
}

// at is an offset from the start of the run.
func at(ns int64) string {
	if ns < 0 {
		return span(ns)
	}
	return "+" + span(ns)
}

// lasted is how long something took, "?" if it ends before it starts: the clock
// that said so was wrong.
func lasted(start, end int64) string {
	if end < start {
		return "?"
	}
	return span(end - start)
}

// span is a length of time in at most seven columns.
func span(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d == 0:
		return "0s"
	case d < 0 && ns != math.MinInt64:
		return "-" + span(-ns)
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + "µs"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d/time.Second%60)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d/time.Minute%60)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// short is the beginning of a long hex id.
func short(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}
