package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// stepLimit bounds whatever a reviewer does once, and every wait for what comes of it.
const stepLimit = 15 * time.Second

//go:embed page.js
var pageScript string

// view is how a tab is looked at.
type view struct {
	width, height int64
	dark, print   bool
	withoutScript bool
	pixels        float64 // of the screen for one of the page; 0 means 1
}

var desk = view{width: 1280, height: 800}

// tab is one page.
type tab struct {
	*testing.T
	ctx  context.Context
	base string

	mu      sync.Mutex
	faults  []string
	loading int
}

// open opens a tab on the pages at base; it is closed with the test, which fails if
// the tab had faults.
func open(t *testing.T, base string, v view) *tab {
	t.Helper()
	tb := &tab{T: t, base: base}
	var cancel context.CancelFunc
	tb.ctx, cancel = chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(tb.hear))
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(tb.ctx)) // the tab lives as long as its first context
	ask(tb, network.Enable, network.EnableParams{})
	tb.look(v)
	t.Cleanup(func() {
		if got := tb.heard(); len(got) > 0 {
			t.Errorf("the page had faults:\n%s", strings.Join(got, "\n"))
		}
	})
	return tb
}

// hear keeps what goes wrong. It must not ask the browser anything.
func (t *tab) hear(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fault := func(format string, args ...any) { t.faults = append(t.faults, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		fault("dialog: %s", e.Message)
	case *runtime.EventExceptionThrown:
		fault("script: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			fault("%s: %s", e.Entry.Source, e.Entry.Text)
		}
	case *runtime.EventConsoleAPICalled:
		fault("console: %s", e.Type)
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, t.base+"/") && u != "about:blank" {
			fault("request for %s", u)
		}
	case *page.EventFrameStartedLoading:
		t.loading++
	case *page.EventFrameStoppedLoading:
		t.loading--
	}
}

func (t *tab) heard() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{}, t.faults...)
}

// expectFault takes a fault that the test asked for off the list.
func (t *tab) expectFault(has string) {
	t.Helper()
	t.until("a fault with "+has, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		for i, f := range t.faults {
			if strings.Contains(f, has) {
				t.faults = append(t.faults[:i], t.faults[i+1:]...)
				return true
			}
		}
		return false
	})
}

// ask asks the browser something of a tab.
func ask[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	ctx, cancel := t.limited()
	defer cancel()
	got, err := chromedp.Call(ctx, command, params)
	require.NoError(t, err, command.Method)
	return got
}

func (t *tab) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.ctx, stepLimit)
}

func (t *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := t.limited()
	defer cancel()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// look sets how the tab is looked at.
func (t *tab) look(v view) {
	t.Helper()
	scheme, media := "light", "screen"
	if v.dark {
		scheme = "dark"
	}
	if v.print {
		media = "print"
	}
	ask(t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: v.width, Height: v.height, DeviceScaleFactor: max(v.pixels, 1), Mobile: v.width < 500})
	ask(t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	ask(t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.withoutScript})
}

// until waits for something to come true.
func (t *tab) until(what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(stepLimit); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.picture("failed")
			t.Fatalf("%s: not within %v\nat %s\nfaults: %v\nthe page says: %.3000s", what, stepLimit, t.address(), t.heard(), eval[string](t, "page.all()"))
		}
	}
}

// settle waits until nothing loads.
func (t *tab) settle() {
	t.Helper()
	time.Sleep(30 * time.Millisecond) // until the browser has begun to load what was asked for
	t.until("the page has loaded", func() bool {
		t.mu.Lock()
		quiet := t.loading <= 0
		t.mu.Unlock()
		return quiet && eval[bool](t, `document.readyState === "complete"`)
	})
}

// eval asks the page; page is what page.js returns.
func eval[T any](t *tab, script string) T {
	t.Helper()
	ctx, cancel := t.limited()
	defer cancel()
	for {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[T]("(() => { const page = "+pageScript+"; return ("+script+"); })()", chromedp.EvalAwaitPromise))
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "context") { // a page that goes takes its context along
			require.NoError(t, err, script)
			return v
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (t *tab) address() string {
	return strings.TrimPrefix(eval[string](t, "location.href"), t.base)
}

// open goes to an address of the pages.
func (t *tab) open(path string) {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = t.base + path
	}
	t.do(chromedp.Navigate(path))
}

// click points at what has this name and clicks.
func (t *tab) click(name string) {
	t.Helper()
	var at struct {
		X, Y float64
		Why  string
	}
	t.until("click "+name, func() bool {
		at.Why = ""
		at = eval[struct {
			X, Y float64
			Why  string
		}](t, "page.point("+quoted(name)+")")
		return at.Why == ""
	})
	t.do(chromedp.MouseClickXY(at.X, at.Y))
	t.settle()
}

// press presses keys one after the other.
func (t *tab) press(keys ...string) {
	t.Helper()
	for _, k := range keys {
		t.do(chromedp.KeyEvent(k))
	}
	t.settle()
}

// read waits until the page says something.
func (t *tab) read(texts ...string) {
	t.Helper()
	for _, text := range texts {
		t.until("read "+text, func() bool { return eval[bool](t, "page.saying("+quoted(text)+").length > 0") })
	}
}

// says reports whether the page says something now.
func (t *tab) says(text string) bool {
	t.Helper()
	return eval[bool](t, "page.saying("+quoted(text)+").length > 0")
}

// inView reports whether something is said where the reader looks now.
func (t *tab) inView(text string) bool {
	t.Helper()
	return eval[bool](t, "page.saying("+quoted(text)+").some((el) => [...el.getClientRects()].some((r) => page.inside(r) && page.clear(el, r)))")
}

// allowClipboard lets the page write to the clipboard, and the test read it.
func (t *tab) allowClipboard() {
	t.Helper()
	ctx, cancel := t.limited()
	defer cancel()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, Origin: t.base, BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
		})
		require.NoError(t, err, name)
	}
}

// picture keeps what the tab shows in the folder artifacts.
func (t *tab) picture(name string) {
	t.Helper()
	save(t, filepath.Join("artifacts", strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".png"), t.shot(false))
}

// whole is a picture of the page to its end.
func (t *tab) whole(name string) {
	t.Helper()
	save(t, filepath.Join("artifacts", strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".png"), t.shot(true))
}

func (t *tab) shot(whole bool) []byte {
	t.Helper()
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
	const most = 6000 // pixels
	high, seen := eval[float64](t, "document.body ? document.body.getBoundingClientRect().height : innerHeight"), eval[float64](t, "innerHeight")
	if whole || high < seen { // to its end, or without the nothing below it
		p.CaptureBeyondViewport, p.Clip = &whole, &page.Viewport{Width: eval[float64](t, "innerWidth"), Height: min(high, most), Scale: 1}
	}
	return ask(t, page.CaptureScreenshot, p).Data
}

func save(t *tab, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, data, 0o644))
}
