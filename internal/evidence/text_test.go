package evidence

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func textOf(t *testing.T, run Run, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, run, NewReport(run, ""), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Names, errors, targets and everything else that came from outside cannot
// reach the terminal as more than letters.
func TestTextIsHarmless(t *testing.T) {
	evil := "x\x1b[31m\x1b]0;own\a\r\n\u202eabc\u2066\u200b\u2028\xff\x00\u009b2J"
	a := Attrs{}
	for _, k := range randomKeys {
		if k.Type == "string" {
			a[k.Key] = evil
		}
	}
	for k, v := range map[string]any{
		"gen_ai.operation.name": "execute_tool", "app.effect.stage": "dispatched", "app.permission.decision": "deny", "app.permission.enforced": "executed",
		"app.control.phase": "ignored", "app.verifier.verdict": "fail", "app.outcome": "completed", "error.type": evil, "app.claim.basis": []any{evil},
		"app.tool.effect_class": "write", "app.external_task.state": "working", "app.control.kind": "cancel",
	} {
		a[k] = v
	}
	run := Run{Spans: []Span{{ID: StepID{traceOf("A"), spanOf("a")}, Name: evil, Status: StatusError, Attrs: a, Service: evil, Start: 1, End: 2,
		Links: []Link{{To: StepID{traceOf("B"), spanOf("b")}, Relation: evil}}}}}
	for _, color := range []bool{false, true} {
		got := textOf(t, run, TextOptions{Color: color, Width: 400})
		if color {
			for _, code := range []string{"1", "2", "31;1", "33;1", "32;1", "0"} {
				got = strings.ReplaceAll(got, "\x1b["+code+"m", "")
			}
		}
		if !utf8.ValidString(got) {
			t.Error("not UTF-8")
		}
		for _, r := range got {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%q reaches the terminal:\n%q", r, got)
			}
		}
		if !strings.Contains(got, `\u202e`) {
			t.Error("a mark of direction is not spelled out")
		}
	}
}

func TestNoColoursUnlessAsked(t *testing.T) {
	for _, in := range incidents(t) {
		if strings.Contains(textOf(t, in.run, TextOptions{}), "\x1b") {
			t.Fatalf("%s has colours", in.name)
		}
	}
	if !strings.Contains(textOf(t, longRun(16), TextOptions{Color: true}), "\x1b[31;1m") {
		t.Error("no colours although asked")
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for _, in := range incidents(t) {
		for _, line := range strings.Split(textOf(t, in.run, TextOptions{Width: 72}), "\n") {
			if n := cellsOf(line); n > 72 {
				t.Errorf("%s: %d columns: %s", in.name, n, line)
			}
		}
	}
}

// A normal incident fits on a screen down to its timeline; a long run shows
// what matters.
func TestTextFitsAScreen(t *testing.T) {
	head := func(s string) int { return strings.Count(s[:strings.Index(s, "\nEFFECTS")], "\n") }
	for _, in := range incidents(t) {
		if in.name == "deploy/incident" {
			if n := head(textOf(t, in.run, TextOptions{})); n > 40 {
				t.Errorf("%d lines before the details", n)
			}
		}
	}
	long := textOf(t, longRun(5000), TextOptions{})
	if n := strings.Count(long, "\n"); n > 200 {
		t.Errorf("%d lines for a long run", n)
	}
	if !strings.Contains(long, "▶ ") || !strings.Contains(long, "more without a mark") {
		t.Error("the first wrong step or the rest of a long run is not shown")
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"deploy", 6, "deploy"},
		{"deploy", 5, "depl…"},
		{"部署服务", 5, "部署…"},
		{"a\u0301b", 2, "a\u0301b"},
	} {
		if got := cut(c.in, c.width); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestHarmlessText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":    "plain",
		"a\x1b[1m": `a\x1b[1m`,
		"a\u202eb": `a\u202eb`,
		"a\xffb":   `a\xffb`,
		"tab\tend": `tab\tend`,
		"é部":       "é部",
		"\ufffd":   "\ufffd",
	} {
		if got := harmless(in); got != want {
			t.Errorf("harmless(%q) = %q, want %q", in, got, want)
		}
	}
}
