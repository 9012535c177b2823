package preview

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/redact"
)

// Formats of an input.
const (
	Text = "text"
	OTLP = "otlp"
)

// Report is what would be replaced in one input.
type Report struct {
	Format   string    `json:"format"`
	Values   int64     `json:"values"`   // how many would be replaced
	Findings []Finding `json:"findings"` // in a text, in its order
	Counts   []Count   `json:"counts"`   // in telemetry
	Rules    []Sum     `json:"rules"`    // of either, most frequent first
	// Doubt says why the input was read as a text though it may be none; "" if it
	// was recognised, or is a text.
	Doubt string `json:"doubt,omitempty"`
}

// Finding is a part of a text.
type Finding struct {
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // in characters, from 1
	Bytes  int    `json:"bytes"`
	Rule   string `json:"rule"` // or the reason why the text could not be judged
	Token  string `json:"becomes"`
}

// Count is a number of values of telemetry.
type Count struct {
	Signal   string `json:"signal"`
	Position string `json:"position"`
	Key      string `json:"key,omitempty"` // of the attribute, cut to maxKey; "" if there is none, or none that can be shown
	Rule     string `json:"rule"`          // or the reason why they could not be judged
	Values   int64  `json:"values"`
}

// maxKey is how many runes of a key are shown.
const maxKey = 80

// Sum is what one rule replaces in all.
type Sum struct {
	Rule   string `json:"rule"`
	Values int64  `json:"values"`
}

func (r *Report) find(f Finding) {
	r.Findings = append(r.Findings, f)
	r.Values++
}

func (r *Report) count(signal string, h redact.Hits) {
	rest := map[redact.KeyHit]int64{}
	for hit, n := range h.Values {
		rest[redact.KeyHit{Rule: hit.Rule, Position: hit.Position}] += n
	}
	for f, n := range h.Failures {
		rest[redact.KeyHit{Rule: f.Reason.String(), Position: f.Position}] += n
	}
	for hit, n := range h.Keys {
		r.add(Count{signal, hit.Position.String(), listing.Cut(listing.Inert(hit.Key), maxKey), hit.Rule, n})
		hit.Key = ""
		rest[hit] -= n
	}
	for hit, n := range rest {
		if n > 0 {
			r.add(Count{signal, hit.Position.String(), "", hit.Rule, n})
		}
	}
}

func (r *Report) add(c Count) {
	r.Values += c.Values
	for i := range r.Counts {
		if have := &r.Counts[i]; have.Signal == c.Signal && have.Position == c.Position && have.Key == c.Key && have.Rule == c.Rule {
			have.Values += c.Values
			return
		}
	}
	r.Counts = append(r.Counts, c)
}

// finish brings the report into an order that depends on its content alone.
func (r *Report) finish() {
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Signal, b.Signal), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Rule, b.Rule))
	})
	sums := map[string]int64{}
	for _, f := range r.Findings {
		sums[f.Rule]++
	}
	for _, c := range r.Counts {
		sums[c.Rule] += c.Values
	}
	r.Rules = []Sum{}
	for rule, n := range sums {
		r.Rules = append(r.Rules, Sum{rule, n})
	}
	slices.SortFunc(r.Rules, func(a, b Sum) int { return cmp.Or(cmp.Compare(b.Values, a.Values), cmp.Compare(a.Rule, b.Rule)) })
}

// WriteText writes the report for people.
func WriteText(w io.Writer, r Report) error {
	if r.Values == 0 {
		_, err := fmt.Fprintln(w, "nothing would be masked")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if r.Format == Text {
		fmt.Fprintln(t, "line\tcolumn\tbytes\trule\tbecomes")
		for _, f := range r.Findings {
			fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\n", f.Line, f.Column, f.Bytes, f.Rule, f.Token)
		}
	} else {
		fmt.Fprintln(t, "signal\tposition\tattribute\trule\tvalues")
		for _, c := range r.Counts {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\n", c.Signal, c.Position, cmp.Or(c.Key, "-"), c.Rule, c.Values)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	parts := make([]string, len(r.Rules))
	for i, s := range r.Rules {
		parts[i] = fmt.Sprintf("%d %s", s.Values, s.Rule)
	}
	_, err := fmt.Fprintf(w, "\n%s would be masked: %s\n", Amount(r.Values), strings.Join(parts, ", "))
	return err
}

// Amount is a number of values in words.
func Amount(n int64) string {
	if n == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", n)
}
