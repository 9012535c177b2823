package browser

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No page is wider than the window, on a phone and on a wide screen.
func TestPagesFitTheWindow(t *testing.T) {
	p, ex := demo(t)
	fleet := over(t, stored(t, fleetAndMore()))
	for _, v := range []view{{width: 390, height: 844, pixels: 2}, {width: 768, height: 1024}, {width: 1600, height: 1000, dark: true}} {
		t.Run(strconv.FormatInt(v.width, 10), func(t *testing.T) {
			tb, many := open(t, p.Review, v), open(t, fleet, v)
			for _, k := range kinds(ex.Task) {
				tb.open(k.path)
				if k.name == "error" {
					tb.expectFault("404")
				}
				tb.fits(k.name)
			}
			for _, path := range []string{"/tasks", "/policy", "/evaluations", "/quality", "/sessions/session-0", "/tasks/task-00000000", "/tasks/task-00000000/graph"} {
				many.open(path)
				many.fits("fleet" + strings.ReplaceAll(path, "/", "-"))
			}
			tb.open("/tasks/" + ex.Task)
			tb.click("tools/call kube_apply of deployer")
			tb.read("failed: timeout")
			tb.fits("drawer")
		})
	}
}

func (t *tab) fits(name string) {
	t.Helper()
	if out := eval[string](t, "page.overflow()"); out != "" {
		t.Errorf("%s is wider than the window: %s", name, out)
	}
	t.picture(strings.ReplaceAll(name, " ", "-"))
}

// On paper there is no navigation, all is dark on white whatever the screen is, and
// nothing is hidden in what scrolls.
func TestPagesPrint(t *testing.T) {
	p, ex := demo(t)
	tb := open(t, p.Review, view{width: 794, height: 1123, dark: true})
	tb.open("/tasks/" + ex.Task)
	tb.click("Switch between light and dark")
	tb.click("Switch between light and dark")
	require.Equal(t, "dark", eval[string](tb, "document.documentElement.dataset.theme"))
	tb.click("Zoom in")
	tb.look(view{width: 794, height: 1123, dark: true, print: true})
	require.Equal(t, "rgb(255, 255, 255)", eval[string](tb, "getComputedStyle(document.body).backgroundColor"))
	require.Equal(t, "rgb(28, 30, 33)", eval[string](tb, "getComputedStyle(document.body).color"))
	require.False(t, eval[bool](tb, `page.shown(document.querySelector(".top"))`))
	require.False(t, tb.says("Copy as Markdown"))
	tb.read("First wrong step", "may have happened: sent, no receipt", "Ten questions")
	require.Equal(t, "", eval[string](tb, "page.overflow()"))
	require.True(t, eval[bool](tb, `document.querySelector(".tl-svg").clientWidth <= document.querySelector(".tl").clientWidth`), "the timeline is whole")
	tb.whole("paper")
}

// Everything that a reviewer reads is there without scripts: pages, filters, search,
// steps, the report.
func TestPagesWithoutScript(t *testing.T) {
	p, ex := demo(t)
	v := desk
	v.withoutScript = true
	tb := open(t, p.Review, v)
	tb.open("/tasks?class=security_denial")
	tb.click("t-deploy")
	tb.read("Evidence supports")
	for _, name := range []string{"Copy as Markdown", "Zoom in", "Switch between light and dark"} {
		require.False(t, eval[bool](tb, "!!page.find("+quoted(name)+")"), "%s does nothing without a script", name)
	}
	tb.click("tools/call kube_apply of deployer")
	tb.read("failed: timeout", "app.effect.request.digest")
	require.Equal(t, "/traces/b27e5d1c8f0a4c639e14d7a2c5b80f02/spans/b200000000000004", tb.address(), "a step is a page of its own")
	tb.find(ex.Task)
	tb.read("Evidence supports")
	tb.click("Markdown")
	tb.read("# Task `t-deploy`")
}

// The switch of colours wins over the system, and is remembered.
func TestColoursAreRemembered(t *testing.T) {
	p, _ := demo(t)
	tb := open(t, p.Review, desk)
	ground := func() string { return eval[string](tb, "getComputedStyle(document.body).backgroundColor") }
	tb.open("/tasks")
	light := ground()
	tb.click("Switch between light and dark")
	require.NotEqual(t, light, ground())
	dark := ground()
	tb.open("/policy")
	require.Equal(t, dark, ground())
	tb.click("Switch between light and dark")
	require.Equal(t, light, ground())
}
