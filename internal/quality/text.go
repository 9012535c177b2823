package quality

import (
	"fmt"
	"io"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// WriteText writes services for people, one block each.
func WriteText(w io.Writer, all []Service) error {
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s of the ten questions answered, %s partly, over %s\n", listing.Inert(name(&s)), percent(s.Answered), percent(s.Partly), listing.Count(s.Runs, "run"))
		for _, q := range s.Questions {
			if _, err := fmt.Fprintf(w, "  %2d %-46s %4s %s\n", q.N, q.Text, percent(q.Answered), bar(q.Answered, q.Partly)); err != nil {
				return err
			}
		}
		for j, n := range s.Next {
			if j == 0 {
				fmt.Fprintln(w, "  instrument next; names in capitals stand for your values:")
			}
			fmt.Fprintf(w, "    %s  missing %s, question %s\n      %s\n", n.Key, times(n.Gain), numbers(n.Questions), n.Line)
		}
	}
	return nil
}

// WriteMarkdown writes the same as Markdown.
func WriteMarkdown(w io.Writer, all []Service) error {
	for _, s := range all {
		fmt.Fprintf(w, "## %s\n\n%s of the ten questions answered, %s partly, over %s.\n\n", evidence.CodeSpan(name(&s)), percent(s.Answered), percent(s.Partly), listing.Count(s.Runs, "run"))
		evidence.WriteTable(w, []string{"n", "question", "answered", "partly"}, len(s.Questions), func(i int) []string {
			q := &s.Questions[i]
			return []string{fmt.Sprint(q.N), q.Text, percent(q.Answered), percent(q.Partly)}
		})
		fmt.Fprintln(w)
		for _, n := range s.Next {
			fmt.Fprintf(w, "- %s missing %s, question %s: %s\n", evidence.CodeSpan(n.Key), times(n.Gain), numbers(n.Questions), evidence.CodeSpan(n.Line))
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func name(s *Service) string {
	out := s.Service
	if out == "" {
		out = "(no service.name)"
	}
	if s.Tenant != "" {
		out += " of tenant " + s.Tenant
	}
	return out
}

func percent(f float64) string { return fmt.Sprintf("%.0f%%", 100*f) }

func bar(answered, partly float64) string {
	full := int(answered*10 + 0.5)
	half := min(int(partly*10+0.5), 10-full)
	return strings.Repeat("#", full) + strings.Repeat("-", half)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func numbers(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}
