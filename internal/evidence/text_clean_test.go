package evidence

import (
	"bytes"
	"strings"
	"testing"
)

// What stands where the first wrong step would is never better than what the
// evidence supports, and says what limits it.
func TestNoWrongStepIsNotCalledClean(t *testing.T) {
	for name, c := range map[string]struct {
		run   string
		clean bool
		want  []string
	}{
		"accepted by a verifier": {
			"trace A\n  0..500 ok invoke_agent coder task=t1 outcome=completed basis=unit\nrecords\n" +
				"  600 gen_ai.evaluation.result task=t1 verifier=unit version=1 verdict=pass about=task about_id=t1", true, nil},
		"accepted, and a step failed on the way": {
			"trace A\n  0..500 ok invoke_agent coder task=t1 outcome=completed\n    10..90 error chat m\n    100..200 ok chat m\nrecords\n" +
				"  600 gen_ai.evaluation.result task=t1 verifier=unit version=1 verdict=pass about=task about_id=t1", true,
			[]string{"1 step failed"}},
		"no verdict": {"trace A\n  0..500 ok invoke_agent coder task=t1 outcome=completed", false,
			[]string{"the evidence is unknown: no verdict and no receipt"}},
		"a failed tool of unknown class": {
			"trace A\n  0..500 ok invoke_agent coder task=t1\n    10..90 error execute_tool run class=unknown digest=d error=timeout\n    100..190 ok execute_tool run class=unknown digest=d", false,
			[]string{": what it may change is not known", "1 step failed"}},
		"something destructive": {
			"trace A\n  0..500 ok invoke_agent coder task=t1\n    10..90 ok execute_tool run class=destructive", false,
			[]string{": destructive; whether that was wanted is not judged", ": only reported by its caller"}},
		"spans of no dialect": {"trace A\n  0..500 ok invoke_agent coder task=t1\n    10..90 ok GET", false,
			[]string{"1 of 2 steps of no known dialect: what is done there is not read"}},
		"no root": {"trace A\n  0..500 ok chat m parent=missing task=t1", false, []string{"the run's first step is not here"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseCase(c.run)
			if err != nil {
				t.Fatal(err)
			}
			r := NewReport(p.run, "")
			if r.Attribution.Result != ResultClean {
				t.Fatalf("the case is %s", r.Attribution.Result)
			}
			var md bytes.Buffer
			if err := WriteMarkdown(&md, p.run, r); err != nil {
				t.Fatal(err)
			}
			text := textOf(t, p.run, TextOptions{Width: 400})
			for form, heads := range map[string][2]string{text: {"\nCLEAN: ", "\nNO WRONG STEP FOUND: "}, md.String(): {"## Clean\n", "## No wrong step found, "}} {
				if strings.Contains(form, heads[0]) != c.clean || strings.Contains(form, heads[1]) == c.clean {
					t.Errorf("clean is %t:\n%s", c.clean, form)
				}
				for _, w := range c.want {
					if !strings.Contains(form, w) {
						t.Errorf("%q is not in\n%s", w, form)
					}
				}
			}
		})
	}
}

// Words beside a name say what they are of: unknown is a state, and a class.
func TestWordsAreLabelled(t *testing.T) {
	p, err := parseCase("trace A\n  0..500 error invoke_agent coder task=t1\n    10..90 error execute_tool run class=unknown effect=e1 stage=dispatched")
	if err != nil {
		t.Fatal(err)
	}
	got := textOf(t, p.run, TextOptions{})
	for _, w := range []string{"class unknown", "TIMELINE  ▶ first wrong step  ✗ failed"} {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in\n%s", w, got)
		}
	}
}
