package review

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// barCells is how wide the bars of a waterfall are on a terminal.
const barCells = 24

// WriteText writes a waterfall for people. Text of others is inert.
func (t *Trace) WriteText(w io.Writer, o listing.TextOptions) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "trace %s  task %s\n  %s, took %s, %s\n", t.ID, listing.Inert(t.Task.ID), t.Start, t.Took, count(t.Steps, "step"))
	for i := range t.Rows {
		r := &t.Rows[i]
		line := fmt.Sprintf("%9s %7s  %s  %s%s", r.Offset, r.Took, bar(r.X, r.W), strings.Repeat("  ", r.Depth), r.text())
		if o.Width > 0 {
			line = listing.Cut(line, o.Width)
		}
		if o.Color && (r.First || r.Failed) {
			line = "\x1b[31m" + line + "\x1b[0m"
		}
		fmt.Fprintln(out, line)
	}
	if len(t.Others) > 0 {
		var ids []string
		for _, o := range t.Others {
			ids = append(ids, o.ID)
		}
		fmt.Fprintf(out, "other traces of the run: %s\n", strings.Join(ids, " "))
	}
	return out.Flush()
}

// text is a step in one line, without what is drawn.
func (r *StoryRow) text() string {
	var b strings.Builder
	if r.First {
		b.WriteString("▶ ")
	}
	b.WriteString(listing.Inert(r.Name))
	if r.Failed {
		b.WriteString(" ✗")
		if r.Error != "" {
			b.WriteString("(" + listing.Inert(r.Error) + ")")
		}
	}
	for _, m := range r.Marks {
		b.WriteString("  " + m.Sign + " " + listing.Inert(m.Text))
	}
	for _, l := range r.Links {
		way := "←"
		if l.Out {
			way = "→"
		}
		b.WriteString("  " + way + " " + listing.Inert(l.Relation+" "+l.Name))
		if l.Trace != "" {
			b.WriteString(" in trace " + l.Trace)
		}
	}
	return b.String()
}

// bar draws thousandths as cells.
func bar(x, w float64) string {
	from := min(int(x*barCells/1000), barCells-1)
	to := min(max(int((x+w)*barCells/1000+0.5), from+1), barCells)
	return strings.Repeat("·", from) + strings.Repeat("█", to-from) + strings.Repeat("·", barCells-to)
}

// WriteText writes where a text leads as commands; name is the program's.
func (f *Found) WriteText(w io.Writer, name string) error {
	for _, h := range f.Hits {
		runs := count(h.Count, "run")
		if h.More {
			runs = "more than " + runs
		}
		command := "task " + quote(f.Query)
		if h.Kind != HitTask {
			command = "tasks --" + strings.ReplaceAll(h.Kind, "_", "-") + " " + quote(f.Query)
		}
		if h.Tenant != "" {
			command += " --tenant " + quote(h.Tenant)
		}
		if _, err := fmt.Fprintf(w, "%-9s  %-17s  %s %s\n", spaced(h.Kind), runs, name, command); err != nil {
			return err
		}
	}
	return nil
}

// quote makes a text one word of a shell, inert.
func quote(s string) string {
	s = listing.Inert(s)
	if s != "" && !strings.ContainsAny(s, " '\"$`\\&|;<>()*?[]#~=%!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
