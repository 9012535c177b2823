package redactcorpus

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite docs/redaction-quality.md")

const (
	page   = "../../docs/redaction-quality.md"
	seed   = 1
	rounds = 8
)

func TestQuality(t *testing.T) {
	rep, err := Measure(Cases(seed, rounds))
	require.NoError(t, err)
	reach(t, rep)
	for i, m := range rep.Missed {
		if i == 20 {
			break
		}
		t.Logf("missed %s in %q: %q\nleft %q", m.Label.Kind, m.Case.Frame, m.Case.Text, m.Out)
	}
	for i, m := range rep.TooMany {
		if i == 20 {
			break
		}
		t.Logf("%s took without need in %q: %q\nleft %q", m.Rule, m.Case.Frame, m.Case.Text, m.Out)
	}
	want := Page(rep, seed, rounds)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, string(got), want, "stale: go test ./redactcorpus -update")
}

func TestQualityOfOtherSeeds(t *testing.T) {
	for _, s := range []uint64{2, 3} {
		rep, err := Measure(Cases(s, 2))
		require.NoError(t, err)
		reach(t, rep)
	}
}

func reach(t *testing.T, rep Report) {
	t.Helper()
	for _, class := range []string{Secret, PII} {
		assert.GreaterOrEqual(t, rep.Recall(class), Goals[class], "recall of %s", class)
		assert.GreaterOrEqual(t, rep.Precision(class), GoalPrecision, "precision of %s", class)
		assert.Greater(t, rep.Tokens[class], 200, class)
	}
}

// TestMeasureSees is the measure's own test: a value that is left and a token
// that stands for nothing are seen.
func TestMeasureSees(t *testing.T) {
	d := newDice(9)
	rep, err := Measure([]Case{
		{Text: "the word is unguessable", Labels: []Label{{Secret, "word", "unguessable"}}},
		{Text: "mail ada@example.com twice", Labels: nil},
		{Text: "card " + card(d), Labels: nil},
		{Text: "ip 203.0.113.9 and mail ada@example.com.", Labels: []Label{{PII, "ip", "203.0.113.9"}}},
	})
	require.NoError(t, err)
	assert.Zero(t, rep.Recall(Secret))
	assert.InDelta(t, 1, rep.Recall(PII), 0)
	assert.InDelta(t, 0.25, rep.Precision(PII), 0.001)
	assert.Len(t, rep.TooMany, 3)
}

func TestCasesAreTheSameForASeed(t *testing.T) {
	assert.Equal(t, Cases(4, 1), Cases(4, 1))
	assert.NotEqual(t, Cases(4, 1), Cases(5, 1))
}

// TestChecksOfTheCorpus are numbers that states and banks publish as examples.
func TestChecksOfTheCorpus(t *testing.T) {
	assert.Equal(t, "1", luhnDigit("411111111111111"))
	assert.Equal(t, 1, mod97of("37040044053201300013"+"1489"))
	assert.Equal(t, "3", verhoeffDigit("236"))
}
