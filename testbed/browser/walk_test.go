package browser

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the guide does not walk: filters, the search by a tool call, attempts at a
// task, the ways to take a report along.
func TestFiltersAndSearch(t *testing.T) {
	tb := open(t, over(t, stored(t, fleetAndMore())), desk)
	tb.open("/tasks")
	rows := func() int { return eval[int](tb, `document.querySelectorAll(".tasks tbody tr").length`) }
	all := rows()
	tb.click("Class")
	eval[bool](tb, `(document.querySelector("select[name=class]").value = "security_denial", true)`)
	tb.click("Show")
	require.Contains(t, tb.address(), "class=security_denial", "filters are in the address")
	require.Less(t, rows(), all)
	require.Equal(t, rows(), eval[int](tb, `[...document.querySelectorAll(".tasks td.class")].filter((td) => page.text(td).includes("security denial")).length`))
	tb.click("Clear filters")
	require.Equal(t, all, rows())

	tb.click("Policy")
	tb.read("Denials")
	require.Positive(t, eval[int](tb, `page.saying("bypassed").length`))

	tb.find("call-1-2-7")
	require.Equal(t, "/tasks?tool_call=call-1-2-7", tb.address(), "a call that one run has leads there")
	require.Equal(t, 1, rows())
	tb.click("→ execute_tool edit")
	tb.read("gen_ai.tool.call.id", "call-1-2-7")
}

// find types into the search box and presses Enter.
func (t *tab) find(text string) {
	t.Helper()
	t.click("Search by task")
	t.press(text, "\r")
}

// A report is copied as it is served, and downloads are what they say.
func TestReportIsTakenAlong(t *testing.T) {
	p, ex := demo(t)
	tb := open(t, p.Review, desk)
	tb.allowClipboard()
	get := func(path string) string {
		res, err := http.Get(p.Review + path)
		require.NoError(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return string(b)
	}
	tb.open("/tasks/" + ex.Task)
	for name, path := range map[string]string{"Copy as Markdown": "/tasks/" + ex.Task + "/report?format=markdown", "Copy as JSON": "/api/v1/tasks/" + ex.Task} {
		tb.click(name)
		tb.read("Copied")
		require.Equal(t, get(path), eval[string](tb, "navigator.clipboard.readText()"), name)
		tb.until("the button says again what it does", func() bool { return !tb.says("Copied") })
	}
	tb.click("JSON")
	tb.read(`"result": "step"`)
}

// A list that is open shows a run that comes.
func TestListStaysFresh(t *testing.T) {
	p, ex := start(t), incidentOf(t)
	tb := open(t, p.Review, desk)
	tb.open("/tasks")
	tb.read("No tasks yet")
	eval[bool](tb, "(window.same = true)")
	require.NoError(t, ex.Play(t.Context(), p.Endpoint))
	tb.read("t-deploy")
	require.True(t, eval[bool](tb, "window.same"), "the page was not loaded again")
	tb.click("t-deploy")
	tb.read("Evidence supports")
}
