package redactcorpus

import (
	"fmt"
	"strings"
)

// Page is docs/redaction-quality.md.
func Page(rep Report, seed uint64, rounds int) string {
	var b strings.Builder
	labels := map[string]int{}
	for _, k := range rep.Kinds {
		labels[k.Class] += k.Labels
	}
	fmt.Fprintf(&b, `# What the redactor finds

Made by a test; do not edit. It makes a corpus from published formats (seed %d, %d rounds, %d texts), sends every text through a
redactor with all detectors on, and compares. Rules and corpus share no code and no data.

`+"```"+`
cd testbed && go test ./redactcorpus -update
`+"```"+`

A label counts as found if no eight bytes of it are left that do not stand around it too. A token counts as right if it stands for a label or a
part of one. The test fails if this page is stale, or below the goals. A text that was never seen by those who wrote the rules is the better
measure; this one says that nothing got worse.

| class | labels | recall | goal | tokens | precision | goal |
|---|---|---|---|---|---|---|
`, seed, rounds, rep.Cases)
	for _, c := range []struct{ class, name string }{{Secret, "secrets"}, {PII, "structured personal data"}} {
		fmt.Fprintf(&b, "| %s | %d | %.4f | %.2f | %d | %.4f | %.2f |\n", c.name, labels[c.class], rep.Recall(c.class), Goals[c.class], rep.Tokens[c.class], rep.Precision(c.class), GoalPrecision)
	}
	b.WriteString("\n## By kind\n\n| kind | labels | missed | recall |\n|---|---|---|---|\n")
	for _, k := range rep.Kinds {
		fmt.Fprintf(&b, "| %s | %d | %d | %.3f |\n", strings.ReplaceAll(k.Kind, "_", " "), k.Labels, k.Missed, k.Recall())
	}
	b.WriteString("\n## What is missed\n\n| kind | frame | times |\n|---|---|---|\n")
	type place struct{ kind, frame string }
	times, order := map[place]int{}, []place{}
	for _, m := range rep.Missed {
		p := place{m.Label.Kind, m.Case.Frame}
		if times[p]++; times[p] == 1 {
			order = append(order, p)
		}
	}
	for _, p := range order {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", strings.ReplaceAll(p.kind, "_", " "), p.frame, times[p])
	}
	b.WriteString("\n## What is taken without need\n\n| rule | frame | times |\n|---|---|---|\n")
	wrong, ruleOrder := map[place]int{}, []place{}
	for _, m := range rep.TooMany {
		p := place{m.Rule, m.Case.Frame}
		if wrong[p]++; wrong[p] == 1 {
			ruleOrder = append(ruleOrder, p)
		}
	}
	for _, p := range ruleOrder {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", strings.ReplaceAll(p.kind, "_", " "), p.frame, wrong[p])
	}
	fmt.Fprintf(&b, "\nHard negatives, none of which has a label: %d forms, among them %s.\n", len(negatives)+len(numberTwins(newDice(1))),
		"commit and image digests, trace and span ids, UUIDs, ids of tool calls and messages, model names, identifiers named password or token, minified code, schemas, placeholders, versions, timestamps, private addresses, prose in Chinese and Japanese, public keys and certificates, and numbers with a wrong check digit")
	return b.String()
}

// Goals are the least recalls.
var Goals = map[string]float64{Secret: 0.98, PII: 0.95}

// GoalPrecision is the least precision of either class.
const GoalPrecision = 0.95
