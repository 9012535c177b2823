package browser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// pictures is where the pictures of the guide go; it is set to remake them.
var pictures = flag.String("pictures", "", "folder for the pictures of the guide (default: the test's artifacts)")

const (
	guidePath = root + "/docs/from-alert-to-cause.md"
	alerts    = root + "/dashboards/provisioning/alerting/otelcol-agent.yaml"
)

func theGuide(t *testing.T) (string, guide) {
	t.Helper()
	b, err := os.ReadFile(guidePath)
	require.NoError(t, err)
	g, err := readGuide(string(b))
	require.NoError(t, err)
	return string(b), g
}

// The guide can be followed word by word, and shows what its reader sees.
func TestGuideCanBeFollowed(t *testing.T) {
	_, g := theGuide(t)
	p, _ := demo(t)
	tb := open(t, p.Review, desk)
	tb.allowClipboard()
	done := map[string]int{}
	for _, a := range g.acts {
		t.Logf("line %d: %s %s", a.line, a.verb, a.what)
		done[a.verb]++
		switch a.verb {
		case "open":
			tb.open(a.what)
		case "click":
			tb.click(a.what)
		case "press":
			tb.key(a.what)
		case "read":
			tb.read(a.what)
		case "picture":
			tb.show(a)
		}
	}
	require.Greater(t, done["click"], 10)
	require.Greater(t, done["read"], 20)
	require.Greater(t, done["picture"], 3)
}

// key presses a key by its name, or goes back.
func (t *tab) key(name string) {
	t.Helper()
	switch name {
	case "Back":
		t.do(chromedp.NavigateBack())
	case "Escape":
		t.press(kb.Escape)
	default:
		t.Fatalf("no key is called %s", name)
	}
}

// show takes the pictures that a guide shows at this place.
func (t *tab) show(a act) {
	t.Helper()
	folder := *pictures
	if folder == "" {
		folder = filepath.Join("artifacts", "guide")
	}
	sharp := desk
	sharp.pixels = 1.5
	for name, dark := range map[string]bool{a.what: false, a.dark: true} {
		if name == "" {
			continue
		}
		sharp.dark = dark
		t.look(sharp)
		small, err := shrink(t.shot(false))
		require.NoError(t, err)
		save(t, filepath.Join(folder, name+".png"), small)
	}
	t.look(desk)
}

// The table of the guide counts right: after its clicks the answer is on the screen,
// and one click before it is not.
func TestQuestionsInClicks(t *testing.T) {
	_, g := theGuide(t)
	p, _ := demo(t)
	tb := open(t, p.Review, desk)
	require.Len(t, g.answers, 10)
	start := g.acts[0]
	require.Equal(t, "open", start.verb)
	var table strings.Builder
	for i, a := range g.answers {
		require.Equal(t, fmt.Sprintf("%d %s", i+1, evidence.QuestionText(i+1)), a.question)
		tb.open(start.what)
		clicks := 0
		for _, name := range a.way {
			require.False(t, tb.inView(a.text), "question %d: %q is on the screen after %d clicks already", i+1, a.text, clicks)
			tb.click(name)
			clicks++
		}
		tb.until(fmt.Sprintf("question %d: %q on the screen", i+1, a.text), func() bool { return tb.inView(a.text) })
		require.Equal(t, clicks, a.clicks, "question %d", i+1)
		fmt.Fprintf(&table, "%-52s %d  %s\n", a.question, clicks, strings.Join(a.way, " › "))
	}
	t.Logf("clicks from the alert:\n%s", table.String())
}

// The guide begins where the alert leads.
func TestGuideBeginsAtTheAlert(t *testing.T) {
	text, g := theGuide(t)
	b, err := os.ReadFile(alerts)
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Title       string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(b, &file))
	for _, r := range file.Groups[0].Rules {
		if !strings.Contains(text, "*"+r.Title+"*") {
			continue
		}
		link := r.Annotations["runbook_url"]
		require.Contains(t, text, link+".")
		path, _, _ := strings.Cut(link[strings.Index(link, "/tasks"):], "&since=")
		require.Equal(t, path, g.acts[0].what)
		return
	}
	t.Error("the guide names no alert rule")
}

func TestReadGuide(t *testing.T) {
	g, err := readGuide("**Open** `/x`, **Read** “a b”.\n![c](images/one.png)\n<picture><source srcset=\"images/two-dark.png\"><img src=\"images/two.png\"></picture>\n| question | clicks | way | answer |\n|---|---|---|---|\n| 1 q | 2 | a › b | c |\n")
	require.NoError(t, err)
	require.Equal(t, guide{
		acts:    []act{{line: 1, verb: "open", what: "/x"}, {line: 1, verb: "read", what: "a b"}, {line: 2, verb: "picture", what: "one"}, {line: 3, verb: "picture", what: "two", dark: "two-dark"}},
		answers: []answer{{"1 q", 2, []string{"a", "b"}, "c"}},
	}, g)
	for _, text := range []string{"**Click** the button", "**Read**\n“x”", "![c](images/One.png)", "| question | clicks |\n| 1 q | 2 |", "| question | clicks | way | answer |\n| 1 q | two | a | b |"} {
		_, err := readGuide(text)
		require.Error(t, err, text)
	}
}

// Pictures of the guide are there and small.
func TestPicturesAreSmall(t *testing.T) {
	_, g := theGuide(t)
	want := map[string]bool{}
	for _, a := range g.acts {
		if a.verb == "picture" {
			want[a.what+".png"] = true
			if a.dark != "" {
				want[a.dark+".png"] = true
			}
		}
	}
	files, err := os.ReadDir(filepath.Join(root, "docs", "images"))
	require.NoError(t, err)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(200<<10), f.Name())
		require.True(t, want[f.Name()], "%s is shown nowhere", f.Name())
		delete(want, f.Name())
	}
	require.Empty(t, want, "run make screenshots")
}
