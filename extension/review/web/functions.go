package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// functions are those of the templates.
func functions(static map[string]asset) template.FuncMap {
	return template.FuncMap{
		"asset":        func(name string) string { return "/static/" + name + "?v=" + static[name].sum },
		"spaced":       func(s string) string { return strings.ReplaceAll(s, "_", " ") },
		"capital":      func(s string) string { return strings.ToUpper(s[:min(len(s), 1)]) + s[min(len(s), 1):] },
		"task":         review.TaskPlace,
		"trace":        review.TracePlace,
		"step":         review.StepPlace,
		"session":      review.SessionPlace,
		"graph":        review.GraphPlace,
		"report":       review.ReportPlace,
		"number":       func(n any) string { return review.Number(whole(n)) },
		"length":       func(ns int64) string { return evidence.Length(ns) },
		"searched":     func() string { return review.Searched },
		"mostSearched": func() int { return review.MaxQuery },
		"question":     evidence.QuestionText,
		"state":        stateOf,
		"short": func(s string) string {
			if len(s) > 8 {
				return s[:8]
			}
			return s
		},
		"join":    func(list []string) string { return strings.Join(list, ", ") },
		"pc":      func(f float64) string { return strconv.FormatFloat(f/10, 'f', 2, 64) + "%" },
		"percent": func(f float64) string { return fmt.Sprintf("%.0f%%", 100*f) },
		"add":     func(a, b int) int { return a + b },
		"mul":     func(a, b int) int { return a * b },
		"plural": func(n int, noun string) string {
			if n == 1 {
				return "1 " + noun
			}
			if strings.HasSuffix(noun, "y") {
				noun = strings.TrimSuffix(noun, "y") + "ie"
			}
			return review.Number(int64(n)) + " " + noun + "s"
		},
		"cut":    listing.Cut,
		"sum":    func(a, b float64) float64 { return a + b },
		"mean":   func(f *float64) string { return strconv.FormatFloat(*f, 'g', 3, 64) },
		"points": func(f *float64) float64 { return 100 * *f },
		"bytes":  sizeOf,
		"figure": func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) },
		"dict":   dict,
	}
}

func whole(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	}
	return 0
}

// sizeOf writes bytes for a reader.
func sizeOf(n int64) string {
	f := float64(n)
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if f < 1024 {
			return strconv.FormatFloat(f, 'f', min(1, len(unit)-1), 64) + " " + unit
		}
		f /= 1024
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " GiB"
}

// dict hands several values to a part.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: name %d is not text", i/2)
		}
		out[key] = pairs[i+1]
	}
	return out, nil
}
