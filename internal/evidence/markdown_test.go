package evidence

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outside returns what of a line stands in no code span, by the rules of
// CommonMark: a span ends at a run of as many backticks as began it.
func outside(line string) string {
	var out strings.Builder
	for line != "" {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			out.WriteString(line)
			break
		}
		out.WriteString(line[:i])
		line = line[i:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		end := -1
		for at := n; at < len(line); {
			j := strings.IndexByte(line[at:], '`')
			if j < 0 {
				break
			}
			at += j
			run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
			if at += run; run == n {
				end = at
				break
			}
		}
		if end < 0 {
			out.WriteString(line[:n])
			line = line[n:]
			continue
		}
		line = line[end:]
	}
	return out.String()
}

// Text of telemetry stays text in Markdown, whatever it holds.
func TestMarkdownIsInert(t *testing.T) {
	payloads := []string{
		"EVIL](http://x) ![EVIL](http://x)", "EVIL\n# EVIL", "EVIL <img src=x onerror=EVIL>", "EVIL | EVIL | EVIL", "`EVIL` EVIL", "``EVIL```EVIL", "EVIL`",
		"`EVIL", "@EVIL https://EVIL.example", "EVIL\r\n\r\n```\nEVIL", "EVIL \\` EVIL", "EVIL\x1b[31m\u202eEVIL", strings.Repeat("`", 400) + "EVIL", "EVIL\\|EVIL\\`",
	}
	for _, in := range incidents(t) {
		for _, evil := range payloads {
			run := poisoned(in.run, evil)
			var b bytes.Buffer
			if err := WriteMarkdown(&b, run, NewReport(run, "")); err != nil {
				t.Fatal(err)
			}
			if c, err := Compare(run, "", "1", "1"); err == nil {
				if err := WriteComparison(&b, c, true, 0); err != nil {
					t.Fatal(err)
				}
			}
			head := 0
			for _, line := range strings.Split(b.String(), "\n") {
				if rest := outside(line); strings.Contains(rest, "EVIL") {
					t.Fatalf("%s with %q: %q leaves %q outside of code", in.name, evil, line, rest)
				}
				switch bars := strings.Count(line, "|"); {
				case !strings.HasPrefix(line, "|"):
					head = 0
				case head == 0:
					head = bars
				case bars != head:
					t.Fatalf("%s with %q: %q has %d bars, its head %d", in.name, evil, line, bars, head)
				}
			}
		}
	}
}

// poisoned replaces every free text of a run.
func poisoned(run Run, evil string) Run {
	out := Run{Tenant: run.Tenant, Spans: slices.Clone(run.Spans), Records: slices.Clone(run.Records)}
	poison := func(a Attrs) Attrs {
		a = maps.Clone(a)
		for k, v := range a {
			switch k {
			case "gen_ai.tool.name", "gen_ai.agent.name", "error.type", "app.effect.target", "app.claim.by", "app.verifier.name", "app.verifier.version",
				"app.permission.policy.id", "app.permission.rule.id", "app.permission.decided_by", "app.control.layer", "app.verifier.subject.id", "app.error.layer",
				"app.task.goal.digest", "app.protocol.version.negotiated", "server.address", "app.tool.effect_class":
				a[k] = evil
			case "app.claim.basis", "app.claim.missing":
				a[k] = []any{evil, v}
			case "app.effect.id", "app.control.id", "app.permission.decision.id", "app.task.id":
				a[k] = v.(string) + evil
			}
		}
		return a
	}
	for i := range out.Spans {
		s := &out.Spans[i]
		s.Name, s.Attrs = evil, poison(s.Attrs)
	}
	for i := range out.Records {
		out.Records[i].Attrs = poison(out.Records[i].Attrs)
	}
	return out
}

// A long run is cut in Markdown too, and says so.
func TestMarkdownIsBounded(t *testing.T) {
	run := longRun(5000)
	var b bytes.Buffer
	if err := WriteMarkdown(&b, run, NewReport(run, "")); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n > 400 {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(b.String(), "more in the JSON report") {
		t.Error("what was cut is not said")
	}
}

func TestCompare(t *testing.T) {
	p, err := parseCase(`
trace A
  0..300 error invoke_agent coder id=one task=t1 app.task.attempt=1 goal=g
    10..90 error execute_tool pay id=pay1 effect=e1 class=external target=acct/7 stage=dispatched attempt=1 key=k1 error=timeout decision=allow decider=user
    100..200 error chat gpt id=chat error=overloaded
trace B
  400..700 ok invoke_agent coder id=two task=t1 app.task.attempt=2 outcome=completed goal=g
    -> retries A/one
    410..490 ok execute_tool pay id=pay2 effect=e1 class=external target=acct/7 stage=receipt attempt=2 key=k1 receipt=r9
    500..600 ok invoke_agent helper id=hand
trace C
  510..590 ok invoke_agent helper id=remote task=t2 parent_task=t1
    -> delegated_from B/hand
`)
	if err != nil {
		t.Fatal(err)
	}
	rows := func(left, right string) map[string]string {
		t.Helper()
		c, err := Compare(p.run, "t1", left, right)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, r := range c.Rows {
			if out[r.What] = r.Left + " | " + r.Right; r.Same != (r.Left == r.Right) {
				t.Errorf("%s: same is %v", r.What, r.Same)
			}
		}
		return out
	}
	want := map[string]string{
		"steps": "3 | 4", "in error": "3 | 0", "took": "300ms | 300ms", "claimed": " | completed", "evidence supports": "failed: the root span failed | completed: every effect is confirmed",
		"first wrong step": "execute_tool pay of coder | clean", "its layer and class": "tool, unknown_effect | ", "agents": "coder | coder, helper", "tools called": "1 pay | 1 pay",
		"effects": "1 unknown | 1 confirmed", "decisions": "1 allow | ", "goal": "g | g",
	}
	if diff := cmp.Diff(want, rows("1", "2")); diff != "" {
		t.Errorf("attempts at the task (-want +got):\n%s", diff)
	}
	want = map[string]string{
		"relation to the try before": "first | same_effect", "outcome by itself": "unknown | confirmed", "stages": "dispatched | receipt", "idempotency key": "k1 | k1",
		"receipt": " | r9", "target": "acct/7 | acct/7", "step": "execute_tool pay | execute_tool pay", "agent": "coder | coder", "task": "t1 | t1", "began": "+10ms | +410ms",
		"took": "80ms | 80ms", "status": "error | ok", "error": "timeout | ", "decision": "allow by user | ",
	}
	if diff := cmp.Diff(want, rows("e1:1", "e1:2")); diff != "" {
		t.Errorf("attempts at the effect (-want +got):\n%s", diff)
	}
	for pair, want := range map[[2]string]string{
		{"1", "3"}: "no attempt 3; it has 1 2", {"e1:1", "e1:5"}: "no attempt 5; it has 1, 2", {"e1:1", "2"}: "cannot be compared", {"x", "2"}: "an attempt is a number",
		{"nope:1", "e1:1"}: "no such effect", {"0", "1"}: "an attempt is a number",
	} {
		if _, err := Compare(p.run, "t1", pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", pair, err)
		}
	}
	var b bytes.Buffer
	c, _ := Compare(p.run, "t1", "1", "2")
	if err := WriteComparison(&b, c, false, 200); err != nil || !strings.Contains(b.String(), "in error             3                                2") && !strings.Contains(b.String(), "differs") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
