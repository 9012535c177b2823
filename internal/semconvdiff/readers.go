package semconvdiff

import (
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// dialectKey is the sort of a key that no snapshot and no registry has, and
// that a built-in dialect reads or names.
const dialectKey = "key"

// withReaders says of an attribute which dialects read it. A key that only
// dialects know has an entry of its own.
func withReaders(name string, entries []Entry) []Entry {
	readers := mapping.Readers(name)
	content, person := semconv.Content().Match(name), semconv.PersonKey(name)
	for i := range entries {
		if e := &entries[i]; e.Sort == "attribute" {
			e.Dialects = readers
			return entries
		}
	}
	if len(readers) > 0 || len(entries) == 0 && (content || person) {
		entries = append(entries, Entry{Name: name, Sort: dialectKey, Content: content, Person: person, Dialects: readers})
	}
	return entries
}

// dialects tells who reads the key, a line for each dialect and signal.
func (e Entry) dialects() string {
	if len(e.Dialects) == 0 {
		if e.Sort == dialectKey {
			return "  read by no dialect; the redactor takes it out\n"
		}
		return ""
	}
	var b strings.Builder
	if len(e.Snapshots) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("  read by dialects\n")
	for _, d := range e.Dialects {
		var as []string
		if len(d.Targets) > 0 {
			as = append(as, "as "+strings.Join(d.Targets, ", "))
		}
		if len(d.Content) > 0 {
			as = append(as, "with content: map as "+strings.Join(d.Content, ", "))
		}
		if as == nil && e.Sort == dialectKey {
			as = append(as, "mapped to nothing, so it stays under its own name")
		}
		if d.Tells {
			as = append(as, "to tell what the record is")
		}
		fmt.Fprintf(&b, "    %s (%s): %s\n", d.Dialect, d.Signal, strings.Join(as, "; "))
	}
	return b.String()
}
