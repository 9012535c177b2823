package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// stop is where the focus is.
type stop struct {
	Name    string
	After   bool // it stands after the stop before, in the order of the page
	Visible bool // the focus can be seen
	Ended   bool // the focus has left the page
}

// focused tells of the element that has the focus; it marks it, to be compared with
// the next one.
const focused = `(() => {
	const el = document.activeElement, last = window.lastStop;
	if (!el || el === document.body) return { Name: "", After: true, Visible: true, Ended: true };
	window.lastStop = el;
	const style = getComputedStyle(el), rect = el.querySelector("rect"), focus = getComputedStyle(document.documentElement).getPropertyValue("--focus").trim();
	const rgb = (c) => { const d = document.createElement("i"); d.style.color = c; document.body.append(d); const v = getComputedStyle(d).color; d.remove(); return v; };
	const r = el.getBoundingClientRect();
	return {
		Name: page.text(el).slice(0, 60) || el.getAttribute("aria-label") || el.name || el.id,
		After: !last || !!(last.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING),
		Visible: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 || !!rect && getComputedStyle(rect).stroke === rgb(focus)) && r.bottom > 0 && r.top < innerHeight,
		Ended: false,
	};
})()`

// A reader without a pointer reaches everything in the order of the page, and always
// sees where.
func TestKeyboardReachesEverything(t *testing.T) {
	p, ex := demo(t)
	tb := open(t, p.Review, desk)
	for _, path := range []string{"/tasks", "/tasks/" + ex.Task, "/tasks/" + ex.Task + "/graph", "/policy"} {
		tb.open(path)
		links := eval[int](tb, `[...document.querySelectorAll("a[href], button, input, select, summary")].filter((el) => page.shown(el) && el.tabIndex >= 0).length`)
		names := []string{}
		for range links + 20 {
			tb.press(kb.Tab)
			s := eval[stop](tb, focused)
			if s.Ended || len(names) > 0 && s.Name == names[0] { // around
				break
			}
			require.True(t, s.After, "%s: %q comes after %v", path, s.Name, names)
			require.True(t, s.Visible, "%s: the focus on %q is not to be seen", path, s.Name)
			names = append(names, s.Name)
		}
		require.Equal(t, "Skip to content", names[0])
		require.GreaterOrEqual(t, len(names), links, "%s: reached %v", path, names)
	}
}

// The first wrong step is found, opened and left without a pointer.
func TestTimelineByKeys(t *testing.T) {
	p, ex := demo(t)
	tb := open(t, p.Review, desk)
	tb.open("/tasks/" + ex.Task)
	tb.press(kb.Tab, kb.Enter)
	require.Equal(t, "main", eval[string](tb, "document.activeElement.id"), "the skip link leads to the content")
	for range 40 {
		tb.press(kb.Tab)
		if eval[bool](tb, `document.activeElement.classList.contains("tl-scroll")`) {
			break
		}
	}
	has := func(name string) {
		t.Helper()
		require.Equal(t, name, eval[string](tb, `document.activeElement.querySelector("title").textContent.split(",")[0]`))
	}
	tb.press(kb.ArrowRight)
	has("invoke_agent coder")
	tb.press(kb.ArrowRight)
	has("chat example-large-2")
	tb.press(kb.ArrowLeft)
	has("invoke_agent coder")
	tb.press(kb.End)
	last := eval[string](tb, `document.activeElement.querySelector("title").textContent`)
	tb.press("f")
	has("tools/call kube_apply")
	require.Contains(t, eval[string](tb, `document.querySelector("[data-timeline-status]").textContent`), "first wrong step", "a screen reader is told")
	require.NotContains(t, last, "first wrong step")
	tb.press("+", "+")
	require.Equal(t, "4×", eval[string](tb, `document.querySelector("output").textContent`))
	require.True(t, eval[bool](tb, `page.inside(document.activeElement.getBoundingClientRect())`), "what has the focus stays in sight")
	tb.picture("zoomed")
	tb.press("0")
	require.Equal(t, "1×", eval[string](tb, `document.querySelector("output").textContent`))
	tb.press(kb.Enter)
	tb.read("failed: timeout")
	tb.press(kb.Tab, kb.Tab, kb.Tab)
	require.True(t, eval[bool](tb, `document.querySelector("dialog").contains(document.activeElement)`), "the focus stays in the step")
	tb.press(kb.Escape)
	tb.until("the step is closed", func() bool { return !eval[bool](tb, `document.querySelector("dialog").open`) })
	has("tools/call kube_apply")
}
