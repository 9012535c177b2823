package synth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// collected unites spans of one id as the store does.
type collected struct {
	spans map[string]*evidence.Span
	order []string
}

func newCollected() *collected { return &collected{spans: map[string]*evidence.Span{}} }

func (c *collected) add(td ptrace.Traces) {
	for _, n := range evidence.FromTraces(td) {
		key := n.Tenant + n.ID.String()
		if old := c.spans[key]; old != nil {
			n = evidence.MergeSpan(*old, n)
		} else {
			c.order = append(c.order, key)
		}
		c.spans[key] = &n
	}
}

func millis(ns int64) int64 { return (ns - epoch.UnixNano()) / 1e6 }

func words(m evidence.Attrs) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := m[k]
		out = append(out, fmt.Sprintf("%s=%v", k, v))
	}
	return strings.Join(out, " ")
}

// tree prints all traces. Ids are numbered in order of print unless a record
// brought them; the turn's keys are printed at the root only.
func (c *collected) tree() string {
	names := map[string]string{}
	byTrace := map[evidence.TraceID][]*evidence.Span{}
	for _, k := range c.order {
		byTrace[c.spans[k].ID.Trace] = append(byTrace[c.spans[k].ID.Trace], c.spans[k])
	}
	earliest := func(t evidence.TraceID) int64 {
		return slices.MinFunc(byTrace[t], func(a, b *evidence.Span) int { return cmp.Compare(a.Start, b.Start) }).Start
	}
	traces := slices.SortedFunc(maps.Keys(byTrace), func(a, b evidence.TraceID) int {
		return cmp.Or(cmp.Compare(earliest(a), earliest(b)), strings.Compare(a.String(), b.String()))
	})
	var b strings.Builder
	for i, t := range traces {
		names[t.String()] = fmt.Sprintf("trace%d", i+1)
		for _, s := range byTrace[t] {
			if s.Parent == (evidence.SpanID{}) {
				names[s.ID.Span.String()] = "root"
			}
		}
	}
	for i, t := range traces {
		label := fmt.Sprintf("trace%d", i+1)
		if strings.HasPrefix(t.String(), "00000000") {
			label = t.String()
			names[label] = label
		}
		spans := byTrace[t]
		slices.SortFunc(spans, func(a, b *evidence.Span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name), strings.Compare(a.ID.String(), b.ID.String()))
		})
		known := map[evidence.SpanID]bool{}
		for _, s := range spans {
			known[s.ID.Span] = true
		}
		fmt.Fprintf(&b, "%s %s\n", label, words(spans[0].Resource))
		for _, s := range spans {
			if !known[s.Parent] {
				c.print(&b, spans, s, 1, names)
			}
		}
	}
	return b.String()
}

func (c *collected) print(b *strings.Builder, spans []*evidence.Span, s *evidence.Span, depth int, names map[string]string) {
	attrs, root := maps.Clone(s.Attrs), s.Parent == (evidence.SpanID{})
	if !root {
		for _, k := range turnKeys {
			delete(attrs, k)
		}
	}
	line := fmt.Sprintf("%s%s [%d..%d] %s", strings.Repeat("  ", depth), s.Name, millis(s.Start), millis(s.End), s.Kind)
	if s.Status == evidence.StatusError {
		line += " ERROR"
	}
	if list := attrs.Strings("app.mapping.inferred"); len(list) > 0 {
		line += " inferred(" + strings.Join(list, ",") + ")"
	}
	delete(attrs, "app.mapping.inferred")
	if depth == 1 && !root {
		line += " ORPHAN"
	}
	fmt.Fprintln(b, line)
	inner := strings.Repeat("  ", depth) + "  "
	for _, k := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(b, "%s. %s=%v\n", inner, k, attrs[k])
	}
	for _, l := range s.Links {
		to := l.To.String() + " " + l.Relation
		for id, name := range names {
			to = strings.ReplaceAll(to, id, name)
		}
		fmt.Fprintf(b, "%s-> %s\n", inner, to)
	}
	for _, e := range s.Events {
		fmt.Fprintf(b, "%s* %s @%d %s\n", inner, e.Name, millis(e.Time), words(e.Attrs))
	}
	for _, child := range spans {
		if child.Parent == s.ID.Span {
			c.print(b, spans, child, depth+1, names)
		}
	}
}
