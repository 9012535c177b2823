package web

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Figures and times of one run, whatever they are, stop no answer about it or about
// all runs.
func TestNoFigureStopsAnAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	keys := []string{"app.usage.cost", "app.usage.credits", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.evaluation.score.value", "app.evaluation.scale.min", "app.evaluation.scale.max",
		"app.task.attempt", "app.effect.attempt", "app.event.duration"}
	values := []any{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1.0, int64(math.MaxInt64), int64(math.MinInt64), []any{math.NaN()}, "x", true}
	times := [][2]int64{{0, 0}, {math.MinInt64, math.MaxInt64}, {math.MaxInt64, math.MinInt64}, {math.MaxInt64, math.MaxInt64}, {1, -1}}
	for i, value := range values {
		attrs := evidence.Attrs{"app.task.id": "t", "app.session.id": "s", "app.verifier.name": "v", "app.verifier.verdict": "pass", "app.verifier.version": "1", "app.evaluation.comparable": true,
			"app.effect.id": "e", "app.effect.stage": "dispatched", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sh"}
		for _, key := range keys {
			attrs[key] = value
		}
		h := serving(t, one(attrs, func(s *evidence.Span) { s.Start, s.End = times[i%len(times)][0], times[i%len(times)][1] }))
		for _, r := range h.routes() {
			if strings.Contains(r.path, "compare") || strings.HasPrefix(r.path, "/static") || r.path == "/{$}" || r.path == "/search" {
				continue
			}
			id := "t"
			if strings.Contains(r.path, "/sessions/") {
				id = "s"
			}
			address := strings.NewReplacer("{id}", id, "{trace}", oneTrace, "{span}", oneSpan).Replace(r.path)
			if strings.HasSuffix(address, "/search") {
				address += "?q=t"
			}
			w := get(t, h, address)
			require.Equal(t, http.StatusOK, w.Code, "%v at %s: %s", value, address, w.Body)
			for _, wrong := range []string{"NaN", "Inf<", "Inf\"", "%!", "$-"} {
				if !strings.Contains(address, "/spans/") { // a step shows its attributes as they are
					require.NotContains(t, w.Body.String(), wrong, "%v at %s", value, address)
				}
			}
			if w.Header().Get("Content-Type") == "application/json" {
				require.True(t, json.Valid(w.Body.Bytes()), address)
			}
		}
	}
}
