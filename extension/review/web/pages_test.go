package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

var (
	linkPattern   = regexp.MustCompile(`(?:href|src|action|data-copy)="([^"]*)"`)
	tagPattern    = regexp.MustCompile(`<[a-zA-Z/!][^>]*>[^<]?`)
	valuePattern  = regexp.MustCompile(`"[^"]*"`)
	inlinePattern = regexp.MustCompile(`(?i)^<style|\sstyle=|^<script[^>]*>[^<\n]|\son[a-z]+=|^<(iframe|object|embed|base|img)`)
)

// inline returns what a page has inside that would act by itself: code or style in
// a tag. Values of attributes cannot hold a quote or a bracket that ends them.
func inline(body string) string {
	for _, tag := range tagPattern.FindAllString(body, -1) {
		if found := inlinePattern.FindString(valuePattern.ReplaceAllString(tag, `""`)); found != "" {
			return tag
		}
	}
	return ""
}

// Every address that a page leads to, from the list on, answers; no page has
// anything inline.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	b := incidents()
	b.Spans = append(b.Spans, one(evidence.Attrs{"app.task.id": "a/b ../?#%", "app.session.id": "s/1?x", "app.verifier.name": "tests", "app.verifier.version": "1", "app.verifier.verdict": "pass",
		"app.verifier.subject.kind": "task", "app.evaluation.comparable": true, "gen_ai.evaluation.score.value": 0.5}).Spans...)
	h := serving(t, b)
	todo := []string{"/tasks?limit=500"}
	seen := map[string]bool{todo[0]: true}
	pages := 0
	for len(todo) > 0 && pages < 350 {
		address := todo[0]
		todo = todo[1:]
		w := get(t, h, address)
		if w.Code == http.StatusSeeOther {
			continue
		}
		require.Equal(t, http.StatusOK, w.Code, "%s: %s", address, w.Body)
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		pages++
		body := w.Body.String()
		require.Empty(t, inline(body), address)
		require.Contains(t, body, `<main id="main"`)
		require.NotContains(t, body, "%!", "a value is printed in a wrong way at %s", address)
		require.NotContains(t, body, "ZgotmplZ", "a template does not trust a value at %s", address)
		require.Equal(t, contentPolicy, w.Header().Get("Content-Security-Policy"))
		for _, m := range linkPattern.FindAllStringSubmatch(body, -1) {
			link, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			u, err := url.Parse(link)
			require.NoError(t, err, "%s has the link %q", address, link)
			require.Empty(t, u.Host+u.Scheme, "%s leads elsewhere: %s", address, link)
			// Steps are many and alike: those of every 23rd page are enough.
			if link == "" || seen[link] || strings.Contains(link, "/spans/") && pages%23 != 0 {
				continue
			}
			seen[link] = true
			todo = append(todo, link)
		}
	}
	require.Greater(t, pages, 3*planted.Kinds())
	require.True(t, seen["/tasks/a%2Fb%20..%2F%3F%23%25"], "an id with slashes has a page")
}

// The page of a task tells, before anything is clicked, what is claimed, what the
// evidence supports, and the first wrong step with what proves it.
func TestTaskPageTellsTheIncident(t *testing.T) {
	told := 0
	h := serving(t, incidents())
	for seed := range uint64(planted.Kinds()) {
		incident := planted.New(seed)
		if incident.Truth.Result != evidence.ResultStep {
			continue
		}
		told++
		s := incident.Truth.Step
		body := get(t, h, "/tasks/"+incident.Run.Spans[0].ID.Trace.String()+"?tenant="+incident.Run.Tenant).Body.String()
		finding := body[strings.Index(body, `id="finding"`):]
		finding = finding[:strings.Index(finding, "</section>")]
		require.Contains(t, finding, "First wrong step", incident.Name)
		require.Contains(t, finding, s.Trace.String()+"/spans/"+s.Span.String(), incident.Name)
		require.Contains(t, finding, incident.Truth.Layer, incident.Name)
		require.Contains(t, body, "Evidence supports")
		require.Contains(t, body, `class="bar`)
	}
	require.Greater(t, told, 5)
}

// A run that speaks of what is not here says so on its page, whatever came of the
// search for the first wrong step.
func TestARunThatIsNotWholeSaysSo(t *testing.T) {
	for status, finding := range map[string]string{evidence.StatusError: "First wrong step <", evidence.StatusOK: "No wrong step found"} {
		h := serving(t, one(evidence.Attrs{"app.task.id": "t"}, func(s *evidence.Span) {
			s.Status, s.Links = status, []evidence.Link{{To: evidence.StepID{Trace: evidence.TraceID{9}, Span: evidence.SpanID{9}}, Relation: "delegated_from"}}
		}))
		body := get(t, h, "/tasks/t").Body.String()
		require.Contains(t, body, finding)
		require.Contains(t, body, "Not whole</span> 1 step linked to not here")
	}
	require.NotContains(t, get(t, serving(t, one(evidence.Attrs{"app.task.id": "t"})), "/tasks/t").Body.String(), "Not whole")
}

// What was not looked at is told by the page and by the API alike.
func TestOlderRunsThatWereNotLookedAtAreTold(t *testing.T) {
	h := serving(t, incidents())
	for _, path := range []string{"/policy", "/evaluations", "/quality"} {
		require.Contains(t, get(t, h, review.API+path).Body.String(), `"whole": true`)
		require.NotContains(t, get(t, h, path).Body.String(), "older ones were not looked at")
	}
	h = serving(t, incidents(), func(s *Settings) { // whose clock runs away while runs are read
		at := time.Now()
		s.Now = func() time.Time { at = at.Add(time.Second); return at }
	})
	for _, path := range []string{"/policy", "/evaluations", "/quality"} {
		require.Contains(t, get(t, h, review.API+path).Body.String(), `"whole": false`)
		require.Contains(t, get(t, h, path).Body.String(), "older ones were not looked at")
	}
}

func TestFiltersAndPages(t *testing.T) {
	b := incidents()
	now := time.Now()
	h := serving(t, b, func(s *Settings) { s.Now = func() time.Time { return now } }) // a list has all the time it takes
	all := strings.Count(get(t, h, "/tasks?limit=500").Body.String(), `<td role="cell" class="id">`)
	require.Greater(t, all, 10)
	got, address := 0, "/tasks?limit=7"
	for address != "" {
		body := get(t, h, address).Body.String()
		got += strings.Count(body, `<td role="cell" class="id">`)
		m := regexp.MustCompile(`<a rel="next" href="([^"]*)">Older`).FindStringSubmatch(body)
		address = ""
		if m != nil {
			address = html.UnescapeString(m[1])
		}
	}
	require.Equal(t, all, got)
	body := get(t, h, "/tasks?class=security_denial&limit=500").Body.String()
	some := strings.Count(body, `<td role="cell" class="id">`)
	require.NotZero(t, some)
	require.Less(t, some, all)
	require.Contains(t, body, "Clear filters")
	require.Contains(t, get(t, h, "/tasks?tool=nobody-calls-this").Body.String(), "No task fits these filters")
	require.Contains(t, get(t, serving(t, evidence.Batch{}), "/tasks").Body.String(), "No tasks yet")
}

func TestSearchLeadsToWhatIsNamed(t *testing.T) {
	h := serving(t, one(evidence.Attrs{"app.task.id": "t-1", "gen_ai.tool.call.id": "call-7", "app.session.id": "s-1", "app.artifact.hash": "sha256:00ff", "gen_ai.agent.name": "coder", "gen_ai.tool.name": "coder",
		"app.effect.id": "eff-1", "app.effect.receipt.id": "r-1", "app.permission.decision.id": "d-1"}))
	for q, want := range map[string]string{
		"t-1": "/tasks/t-1", oneTrace[:8]: "/tasks/" + oneTrace[:8], "call-7": "/tasks?tool_call=call-7", "s-1": "/sessions/s-1", "sha256:00ff": "/tasks?artifact=sha256%3A00ff", "": "/tasks",
		"eff-1": "/tasks?effect=eff-1", "r-1": "/tasks?receipt=r-1", "d-1": "/tasks?decision=d-1",
	} {
		w := get(t, h, "/search?q="+url.QueryEscape(q))
		require.Equal(t, http.StatusSeeOther, w.Code, q)
		require.Equal(t, want, w.Header().Get("Location"))
	}
	both := get(t, h, "/search?q=coder")
	require.Equal(t, http.StatusOK, both.Code)
	require.Contains(t, both.Body.String(), "/tasks?agent=coder")
	require.Contains(t, both.Body.String(), "/tasks?tool=coder")
	for _, list := range []string{"/tasks?tool_call=call-7", "/tasks?effect=eff-1"} {
		require.Contains(t, get(t, h, list).Body.String(), "/traces/"+oneTrace+"/spans/"+oneSpan, "the step that was searched for")
	}
	require.Contains(t, get(t, h, "/tasks?effect=eff-1").Body.String(), `Effect <input name="effect" value="eff-1">`)
	require.Contains(t, get(t, h, "/search?q=nothing").Body.String(), "Nothing is called")
}

// A run of one tenant is found without naming it, if no other tenant has the id.
func TestTenants(t *testing.T) {
	b := one(evidence.Attrs{"app.task.id": "t"}, func(s *evidence.Span) { s.Tenant = "a" })
	other := one(evidence.Attrs{"app.task.id": "u"}, func(s *evidence.Span) { s.Tenant, s.ID.Trace = "b", evidence.TraceID{9} })
	h := serving(t, evidence.Batch{Spans: append(b.Spans, other.Spans...)})
	require.Equal(t, http.StatusOK, get(t, h, "/tasks/t").Code)
	require.Equal(t, http.StatusNotFound, get(t, h, "/tasks/t?tenant=b").Code, "a tenant that is named is kept to")
	require.Equal(t, http.StatusNotFound, get(t, h, "/tasks/t?tenant=").Code)
	require.NotContains(t, get(t, h, "/tasks?tenant=a").Body.String(), "/tasks/u")
	require.NotContains(t, get(t, h, "/api/v1/search?q=u&tenant=a").Body.String(), `"count"`)
}
