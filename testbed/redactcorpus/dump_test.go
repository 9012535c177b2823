package redactcorpus

import (
	"fmt"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	rep, err := Measure(Cases(1, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range rep.Missed {
		fmt.Printf("MISS %s/%s [%s] %q\n   -> %q\n", m.Label.Class, m.Label.Kind, m.Case.Frame, m.Case.Text, m.Out)
	}
	for _, m := range rep.TooMany {
		fmt.Printf("FP %s [%s] %q\n   -> %q\n", m.Rule, m.Case.Frame, m.Case.Text, m.Out)
	}
	for _, k := range rep.Kinds {
		if k.Missed > 0 {
			fmt.Printf("KIND %s %s %d/%d\n", k.Class, k.Kind, k.Missed, k.Labels)
		}
	}
	fmt.Println("RECALL", rep.Recall(Secret), rep.Recall(PII), "PREC", rep.Precision(Secret), rep.Precision(PII), rep.Cases)
	_ = os.Stdout
}
