package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

func TestLongTextIsCutBetweenTags(t *testing.T) {
	long := strings.Repeat("é", maxText)
	for page, want := range map[string]string{
		"":                                  "",
		"no tag":                            "no tag",
		"<p>" + long + "</p>":               "<p>" + long + "</p>",
		"<p>" + long + "x</p><b>y</b>":      "<p>" + long + "…</p><b>y</b>",
		`<a href="` + long + long + `">z`:   `<a href="` + long + long + `">z`,
		long + long:                         long + "…",
		"<p>" + long[4:] + "&#34;x</p>":     "<p>" + long[4:] + "…</p>",
		"<p>" + long[10:] + "&#34;" + "xy<": "<p>" + long[10:] + "&#34;" + "…<",
	} {
		require.Equal(t, want, string(short([]byte(page))))
	}
}

// However long the words of a run are, its pages are small and every one can be
// opened; the API has the words whole.
func TestLongWordsMakeNoLargePage(t *testing.T) {
	word := strings.Repeat("W", 1<<17)
	attrs := evidence.Attrs{word: word, "list": []any{word, word}}
	for _, key := range []string{"app.task.id", "gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "app.session.id", "app.claim.by", "app.permission.rule.id", "app.effect.id", "app.effect.target",
		"error.type", "app.verifier.name", "app.verifier.version", "server.address", "app.artifact.hash"} {
		attrs[key] = word
	}
	attrs["gen_ai.operation.name"], attrs["app.permission.decision"], attrs["app.effect.stage"], attrs["app.verifier.verdict"], attrs["app.outcome"] = "execute_tool", "deny", "dispatched", "fail", "completed"
	attrs["app.tool.effect_class"], attrs["app.protocol.name"], attrs["app.claim.basis"] = "write", "mcp", []any{word}
	h := serving(t, one(attrs, func(s *evidence.Span) {
		s.Name, s.Service, s.StatusMessage, s.Scope, s.Status, s.Resource = word, word, word, word, evidence.StatusError, evidence.Attrs{word: word}
	}))
	todo, seen := []string{"/tasks", "/policy", "/evaluations", "/quality"}, map[string]bool{}
	for len(todo) > 0 {
		address := todo[0]
		todo = todo[1:]
		w := get(t, h, address)
		if address == "/search" {
			continue
		}
		require.Equal(t, http.StatusOK, w.Code, address)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			require.Less(t, w.Body.Len(), 300_000, address)
		}
		for _, m := range linkPattern.FindAllStringSubmatch(w.Body.String(), -1) {
			if u, err := url.Parse(m[1]); err == nil && strings.HasPrefix(m[1], "/") && !strings.HasPrefix(m[1], review.API) && !seen[u.Path] {
				require.Less(t, len(m[1]), 4096, address)
				seen[u.Path] = true
				todo = append(todo, m[1])
			}
		}
	}
	for _, path := range []string{"/tasks/" + oneTrace, "/tasks/" + oneTrace + "/graph", "/traces/" + oneTrace + "/spans/" + oneSpan} {
		require.Contains(t, seen, path)
	}
	require.Contains(t, get(t, h, review.API+"/traces/"+oneTrace+"/spans/"+oneSpan).Body.String(), `"list": "[\"`+word)
}
