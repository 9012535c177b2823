package semconvdiff

import (
	"fmt"
	"strconv"
	"strings"
)

// Text is the difference for people; an empty part is left out.
func (d Diff) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s -> %s\n", d.From, d.To)
	if d.From == d.To {
		b.WriteString("\nThe same snapshot.\n")
		return b.String()
	}
	d.Keys.text(&b, "Keys")
	for _, r := range d.Retyped {
		fmt.Fprintf(&b, "  %s is %s instead of %s; a number that cannot come back stays as it is\n", r.Key, r.To, r.From)
	}
	for _, w := range d.Words {
		fmt.Fprintf(&b, "  words of %s:%s%s\n", w.Key, signed(" +", w.New), signed(" -", w.Gone))
	}
	d.Spans.text(&b, "Spans (types do not show in telemetry)")
	if len(d.TakenOff) > 0 {
		b.WriteString("\nTaken off spans: kept where they are, and counted\n")
		for _, off := range d.TakenOff {
			fmt.Fprintf(&b, "  %s spans %s: %s\n", off.Kind, on(off.Where), strings.Join(off.Keys, ", "))
		}
	}
	d.Metrics.text(&b, "Metrics")
	d.Events.text(&b, "Events")
	for _, e := range d.EventsEnded {
		fmt.Fprintf(&b, "  what %s said is in %s: %s\n", e.Event, e.By, e.Brief)
	}
	if len(d.Levels) > 0 {
		b.WriteString("\nWanted differently\n")
		last := ""
		for _, l := range d.Levels {
			if l.On != last {
				fmt.Fprintf(&b, "  %s\n", l.On)
				last = l.On
			}
			fmt.Fprintf(&b, "    %s: %s -> %s\n", orElse(l.Key, "the event itself"), orElse(l.From, "not asked for"), orElse(l.To, "not asked for"))
		}
	}
	if len(d.ContentChanged) > 0 {
		b.WriteString("\nSame name, other content; passes as it is\n")
		for _, n := range d.ContentChanged {
			fmt.Fprintf(&b, "  %s (since %s): %s\n", n.Key, n.Since, n.Different)
		}
	}
	return b.String()
}

func (n Names) text(b *strings.Builder, title string) {
	fmt.Fprintf(b, "\n%s: %d carried, %d not carried, %d new\n", title, n.Carried, len(n.NotCarried), len(n.New))
	for _, r := range n.Renamed {
		fmt.Fprintf(b, "  %s -> %s%s\n", r.From, r.To, r.detail())
	}
	for _, name := range n.NotCarried {
		fmt.Fprintf(b, "  %s stays as it is\n", name)
	}
	for _, name := range n.New {
		fmt.Fprintf(b, "  + %s\n", name)
	}
}

func (r Rename) detail() string {
	var out []string
	if len(r.Where) > 0 {
		out = append(out, on(r.Where))
	}
	for _, word := range sorted(r.Values) {
		out = append(out, word+" becomes "+r.Values[word])
	}
	for _, key := range r.Drops {
		out = append(out, "drops "+key)
	}
	for _, key := range sorted(r.Adds) {
		out = append(out, "adds "+key+"="+r.Adds[key])
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, "; ") + ")"
}

// on words a condition.
func on(where map[string][]string) string {
	var out []string
	for _, key := range sorted(where) {
		if len(where[key]) == 0 {
			out = append(out, key+" is there")
			continue
		}
		out = append(out, key+" is "+strings.Join(where[key], " or "))
	}
	return "where " + strings.Join(out, " and ")
}

func signed(sign string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	return sign + strings.Join(words, sign)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Text is the entry for people. Neighbouring snapshots that say the same share a
// paragraph.
func (e Entry) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s%s)\n", e.Name, e.Sort, e.notes())
	if e.Brief != "" {
		fmt.Fprintf(&b, "  %s\n", e.Brief)
	}
	if e.Registry != "" && len(e.Snapshots) == 1 {
		return b.String() + e.Snapshots[0].text() + e.dialects()
	}
	for i := 0; i < len(e.Snapshots); {
		text := e.Snapshots[i].text()
		last := i
		for last+1 < len(e.Snapshots) && e.Snapshots[last+1].text() == text {
			last++
		}
		name := e.Snapshots[i].Snapshot
		if last > i {
			name += " to " + e.Snapshots[last].Snapshot
		}
		fmt.Fprintf(&b, "\n  %s\n%s", name, text)
		i = last + 1
	}
	return b.String() + e.dialects()
}

func (e Entry) notes() string {
	out := ""
	if e.Registry != "" {
		out += " of the " + e.Registry + " registry"
	}
	if e.Sort == dialectKey {
		out = " of dialects"
	}
	if e.Content {
		out += ", content"
	}
	if e.Person {
		out += ", a person's id"
	}
	if e.Retired {
		out += ", retired"
	}
	return out
}

func (f Fact) text() string {
	var b strings.Builder
	var head []string
	for _, s := range []string{f.Type, f.Kind, f.Instrument, f.Unit, f.Signal} {
		if s != "" {
			head = append(head, s)
		}
	}
	switch {
	case len(head) > 0:
		fmt.Fprintf(&b, "    %s\n", strings.Join(head, ", "))
	case f.Ended != nil:
		fmt.Fprintf(&b, "    ended; %s holds the same: %s\n", f.Ended.By, f.Ended.Brief)
	case !f.Has && len(f.Spelt) == 0:
		b.WriteString("    nothing\n")
	}
	for _, r := range f.Spelt {
		fmt.Fprintf(&b, "    is %s%s\n", r.To, r.detail())
	}
	if len(f.Values) > 0 {
		fmt.Fprintf(&b, "    words: %s\n", strings.Join(f.Values, ", "))
	}
	if len(f.Buckets) > 0 {
		b.WriteString("    buckets:")
		for _, bound := range f.Buckets {
			b.WriteString(" " + strconv.FormatFloat(bound, 'f', -1, 64))
		}
		b.WriteString("\n")
	}
	for _, level := range []string{"required", "conditional", "recommended", "opt_in"} {
		var on []string
		for _, u := range f.Uses {
			if word, start := strings.CutSuffix(u.Level, ", at start"); word == level {
				if start {
					on = append(on, u.On+" (at start)")
				} else {
					on = append(on, u.On)
				}
			}
		}
		if len(on) > 0 {
			fmt.Fprintf(&b, "    %s: %s\n", strings.ReplaceAll(level, "_", "-"), strings.Join(on, ", "))
		}
	}
	return b.String()
}
