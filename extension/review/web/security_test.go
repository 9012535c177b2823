package web

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// hostile texts as they come in attributes, names and ids.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' autofocus onfocus='alert(1)`, `{{.}} {{template "content" .}}`, `</title><svg onload=alert(1)>`,
	"javascript:alert(1)", "\x1b[2J\x1b]0;owned\x07", "a\u202eb\u2066c\u200d\u2028d", "nul\x00byte\x7f", "bad utf8 \xff\xfe", "--><!--", "]]>", "\ue000private", "e" + strings.Repeat("\u0301", 50),
}

func TestTextOfOthersIsInert(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	for _, text := range hostile {
		attrs := evidence.Attrs{
			"app.task.id": text, "gen_ai.agent.name": text, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": text, "gen_ai.tool.call.id": text, "app.session.id": text,
			"app.outcome": text, "app.claim.by": text, "app.claim.basis": []any{text}, "app.permission.decision": "deny", "app.permission.rule.id": text, "app.permission.policy.id": text,
			"app.effect.id": text, "app.effect.stage": "dispatched", "app.effect.target": text, "app.tool.effect_class": "write", "error.type": text, "app.verifier.name": text,
			"app.verifier.verdict": "fail", "app.verifier.version": text, "app.protocol.name": "mcp", "server.address": text, "app.control.id": "c", "app.control.kind": text, "app.control.layer": text,
			"app.control.phase": "ignored", text: text, "nested": map[string]any{text: []any{text}},
		}
		h := serving(t, one(attrs, func(s *evidence.Span) {
			s.Name, s.Service, s.Scope, s.StatusMessage, s.Status = text, text, text, text, evidence.StatusError
			s.Events = []evidence.SpanEvent{{Name: text, Attrs: evidence.Attrs{text: text}}}
			s.Resource = evidence.Attrs{text: text}
		}))
		task := "/tasks/" + oneTrace
		for _, address := range []string{"/tasks", task, task + "/graph", "/traces/" + oneTrace, "/traces/" + oneTrace + "/spans/" + oneSpan, "/policy", "/evaluations", "/quality", "/search?q=" + strings.Repeat("x", 9)} {
			w := get(t, h, address)
			require.Equal(t, http.StatusOK, w.Code, "%q %s: %s", text, address, w.Body)
			body := w.Body.String()
			for _, r := range body {
				require.False(t, r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp), "%q at %s has %U", text, address, r)
			}
			require.NotContains(t, body, strings.Repeat("\u0301", mostPiled+1), address)
			for _, live := range []string{"<script>", "<img", "onerror=alert(1)>", "<svg onload", "onfocus='", "--><!--"} {
				require.NotContains(t, body, live, address)
			}
			require.NotRegexp(t, `(?i)(href|src|action)="\s*javascript:`, body)
			require.Empty(t, inline(body), "%q at %s", text, address)
		}
		w := get(t, h, "/api/v1"+task)
		require.Equal(t, http.StatusOK, w.Code)
		for _, r := range w.Body.String() {
			require.False(t, r != '\n' && unicode.In(r, unicode.C), "%q in JSON has %U", text, r)
		}
	}
}

func TestQueryTextIsInert(t *testing.T) {
	h := serving(t, evidence.Batch{})
	for _, address := range []string{"/search?q=%3Cscript%3Ealert(1)%3C/script%3E%1b[2J", "/tasks?agent=%22%3E%3Cscript%3E", "/tasks/%3Cscript%3E%1b", "/tasks?session=%3Cscript%3E&tool_call=%E2%80%AE"} {
		body := get(t, h, address).Body.String()
		require.NotContains(t, body, "<script>")
		require.NotContains(t, body, "\x1b")
		require.NotContains(t, body, "\u202e")
	}
}

func TestNothingBesideThePagesIsServed(t *testing.T) {
	h := serving(t, evidence.Batch{})
	for _, address := range []string{"/static/", "/static/base.html", "/static/..%2fhandler.go", "/static/%2e%2e%2f%2e%2e%2fconfig.go", "/static/../handler.go", "/static/page_task.html", "/ui/app.css", "/etc/passwd", "/debug/pprof/"} {
		w := get(t, h, address)
		require.NotEqual(t, http.StatusOK, w.Code, address)
		require.NotContains(t, w.Body.String(), "package web")
	}
	require.Equal(t, http.StatusOK, get(t, h, "/static/app.css").Code)
}

// A query of which something would not be heeded answers with nothing: least of all
// with what other tenants have.
func TestAQueryIsHeededWholeOrRefused(t *testing.T) {
	h := serving(t, one(evidence.Attrs{"app.task.id": "t-secret"}))
	for _, prefix := range []string{"", review.API} {
		require.Equal(t, http.StatusOK, get(t, h, prefix+"/tasks?tenant=&since=&agent=").Code)
		for _, query := range []string{"tenant=a%zz", "tenant=a;b", "tenant=%", "tenent=a", "clas=error", "tenant=a&tenant=", "limit=5&limit=7", "agent=a;", "Tenant=a"} {
			w := get(t, h, prefix+"/tasks?"+query)
			require.Equal(t, http.StatusBadRequest, w.Code, query)
			require.NotContains(t, w.Body.String(), "t-secret")
		}
		for _, address := range []string{"/policy?class=error", "/evaluations?tool=x", "/quality?limit=2", "/sessions/s?class=error", "/health?x=", "/tasks/t-secret?since=1h", "/search?q=x&q=y"} {
			require.Equal(t, http.StatusBadRequest, get(t, h, prefix+address).Code, address)
		}
		require.Equal(t, http.StatusRequestURITooLong, get(t, h, prefix+"/tasks?agent="+strings.Repeat("x", maxQuery)).Code)
	}
}

// A task may call itself what no path can have.
func TestEveryIDHasAPage(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	for _, id := range []string{".", "..", "...", "/", "//", "~", "a/../b", "%2e", "trace:x", "trace:", "trace:" + oneTrace, "a\r\nX: y", "+ &?#;%", "\xff"} {
		h := serving(t, one(evidence.Attrs{"app.task.id": id, "app.session.id": id, "app.task.attempt": int64(1)}))
		m := regexp.MustCompile(`class="id"><a href="([^"]*)"`).FindStringSubmatch(get(t, h, "/tasks").Body.String())
		require.NotNil(t, m, id)
		place := html.UnescapeString(m[1])
		u, err := url.Parse(place)
		require.NoError(t, err)
		for _, part := range strings.Split(u.EscapedPath(), "/") { // as browsers read them
			part = strings.ToLower(strings.ReplaceAll(strings.ToLower(part), "%2e", "."))
			require.NotContains(t, []string{".", ".."}, part, "%q is at %s", id, place)
		}
		page := get(t, h, place)
		require.Equal(t, http.StatusOK, page.Code, "%q at %s", id, place)
		require.Equal(t, http.StatusOK, get(t, h, review.API+place).Code, "%q at %s", id, place)
		for _, m := range regexp.MustCompile(`href="(/(?:tasks|sessions|api)/[^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1) {
			w := get(t, h, html.UnescapeString(m[1]))
			require.Equal(t, http.StatusOK, w.Code, "%q leads to %s: %s", id, m[1], w.Body)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	h := serving(t, evidence.Batch{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodConnect, "PURGE"} {
		for _, r := range h.routes() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, strings.NewReplacer("{$}", "", "{", "", "}", "").Replace(r.path), http.NoBody))
			require.Equal(t, http.StatusMethodNotAllowed, w.Code, method+" "+r.path)
		}
	}
}

// Another site that makes its name mean this machine gets nothing.
func TestOtherNamesOfThisMachineAreRefused(t *testing.T) {
	h := serving(t, one(evidence.Attrs{"app.task.id": "secret-task"}), func(s *Settings) { s.LocalOnly = true })
	for host, want := range map[string]int{"127.0.0.1:4380": 200, "localhost:4380": 200, "LOCALHOST": 200, "[::1]:4380": 200, "127.9.9.9": 200, "evil.example:4380": 421, "": 421, "127.0.0.1.evil.example": 421, "10.0.0.1": 421} {
		for _, path := range []string{"/tasks", "/api/v1/tasks"} {
			r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
			r.Host = host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, want, w.Code, host)
			require.Equal(t, want == 200, strings.Contains(w.Body.String(), "secret-task"))
			require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
		}
	}
}

// A store that is not there yet is no error of the pages, and is opened later.
func TestStoreThatComesLater(t *testing.T) {
	there := false
	inner := serving(t, one(evidence.Attrs{"app.task.id": "t-late"}))
	h, err := New(Settings{Now: time.Now, Open: func(ctx context.Context) (evidence.Reader, error) {
		if !there {
			return nil, errors.New("no evidence store at x")
		}
		return inner.set.Open(ctx)
	}})
	require.NoError(t, err)
	defer h.Close()
	w := get(t, h, "/tasks")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "cannot be opened")
	require.Equal(t, http.StatusServiceUnavailable, get(t, h, "/api/v1/tasks").Code)
	there = true
	require.Contains(t, get(t, h, "/tasks").Body.String(), "t-late")
}
