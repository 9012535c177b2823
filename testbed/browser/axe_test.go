package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// kinds are all kinds of pages over the demo incident and what else is in the store.
func kinds(task string) []struct{ name, path string } {
	return []struct{ name, path string }{
		{"tasks", "/tasks"},
		{"task", "/tasks/" + task},
		{"compare", "/tasks/" + task + "/compare?left=eff-rollout-1842:1&right=eff-rollout-1842:2"},
		{"trace", "/traces/b27e5d1c8f0a4c639e14d7a2c5b80f02"},
		{"step", "/traces/b27e5d1c8f0a4c639e14d7a2c5b80f02/spans/b200000000000004"},
		{"session", "/sessions/conv-7d21"},
		{"graph", "/tasks/" + task + "/graph"},
		{"policy", "/policy"},
		{"evaluations", "/evaluations"},
		{"quality", "/quality"},
		{"health", "/health"},
		{"search", "/search?q=kube_apply"},
		{"nothing found", "/search?q=nothing+is+called+so"},
		{"empty", "/tasks?agent=nobody"},
		{"error", "/tasks/no-such-task"},
	}
}

// No page has a serious fault of accessibility by the rules of axe, in light and dark.
func TestPagesAreAccessible(t *testing.T) {
	p, ex := demo(t)
	fleet := over(t, stored(t, fleetAndMore()))
	empty := over(t, stored(t, nothing()))
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := desk
			v.dark = dark
			tb := open(t, p.Review, v)
			for _, k := range kinds(ex.Task) {
				tb.open(k.path)
				if k.name == "error" {
					tb.expectFault("404")
				}
				tb.axe(k.name)
				tb.picture(strings.ReplaceAll(k.name, " ", "-"))
			}
			tb.open("/tasks/" + ex.Task)
			tb.click("tools/call kube_apply of deployer")
			tb.read("failed: timeout")
			tb.axe("drawer")
			many := open(t, fleet, v)
			for _, path := range []string{"/tasks", "/policy", "/evaluations", "/quality", "/sessions/session-0"} {
				many.open(path)
				many.axe("fleet " + path)
				many.picture("fleet-" + strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"))
			}
			none := open(t, empty, v)
			for _, path := range []string{"/tasks", "/policy", "/evaluations", "/quality", "/health"} {
				none.open(path)
				none.axe("empty " + path)
			}
			none.picture("no-store")
		})
	}
}

// The rules find what they are for: without this, a script that did not run would pass
// every page.
func TestAxeFindsWhatItIsFor(t *testing.T) {
	p := start(t)
	tb := open(t, p.Review, desk)
	tb.open("/tasks")
	eval[bool](tb, `(document.querySelector("label select").closest("label").replaceWith(document.querySelector("label select")), document.querySelector("h1").style.color = "#ddd", true)`)
	found := strings.Join(tb.violations(), "\n")
	require.Contains(t, found, "color-contrast")
	require.Contains(t, found, "select-name")
}

func (t *tab) axe(name string) {
	t.Helper()
	if found := t.violations(); len(found) > 0 {
		t.Errorf("%s:\n%s", name, strings.Join(found, "\n"))
	}
}

// violations are the serious and critical findings of axe.
func (t *tab) violations() []string {
	t.Helper()
	script, err := os.ReadFile(axeFile)
	require.NoError(t, err)
	ctx, cancel := t.limited()
	defer cancel()
	require.NoError(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](string(script)+";0")))
	answer := eval[string](t, `axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations))`)
	var all []struct {
		ID, Impact, Help string
		Nodes            []struct {
			HTML, FailureSummary string
			Target               []any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &all))
	var out []string
	for _, v := range all {
		for _, n := range v.Nodes {
			line := fmt.Sprintf("%s %s: %s at %v\n  %.200s\n  %s", v.Impact, v.ID, v.Help, n.Target, n.HTML, n.FailureSummary)
			if v.Impact == "serious" || v.Impact == "critical" {
				out = append(out, line)
			} else {
				t.Logf("at %s: %s", t.address(), line)
			}
		}
	}
	return out
}
