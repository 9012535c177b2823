package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// A reviewer puts two attempts of a live store side by side: at a task that was
// tried twice, and at its effect, whose first answer was lost.
func TestAttemptsAreCompared(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, corpus(t, "two_attempts.json"))
	compare := func(args ...string) map[string]evidence.CompareRow {
		t.Helper()
		var c evidence.Comparison
		require.NoError(t, json.Unmarshal([]byte(m.run(append(args, "--format", "json")...)), &c))
		rows := map[string]evidence.CompareRow{}
		for _, r := range c.Rows {
			rows[r.What] = r
		}
		return rows
	}
	rows := compare("task", "t-fix", "--compare", "1", "2") // beside the running collector
	require.Equal(t, evidence.CompareRow{What: "claimed", Left: "failed", Right: "completed"}, rows["claimed"])
	require.Equal(t, evidence.CompareRow{What: "first wrong step", Left: "execute_tool push of fixer", Right: "clean"}, rows["first wrong step"])
	require.Equal(t, evidence.CompareRow{What: "tools called", Left: "1 push", Right: "1 push", Same: true}, rows["tools called"])
	require.Equal(t, rows, compare("task", "--compare", "1", "2", "t-fix"), "the task may come last")
	require.Equal(t, rows, compare("task", "a1000000", "--compare", "1", "2"), "by a trace")
	require.NoError(t, p.Stop())

	rows = compare("task", "t-fix", "--compare", "push-7:1", "push-7:2")
	require.Equal(t, evidence.CompareRow{What: "relation to the try before", Left: "first", Right: "same_effect"}, rows["relation to the try before"])
	require.Equal(t, evidence.CompareRow{What: "receipt", Right: "r-9"}, rows["receipt"])

	text := m.run("task", "t-fix", "--compare", "1", "2")
	require.Regexp(t, `(?m)^ +attempt 1 +attempt 2$`, text)
	require.Regexp(t, `(?m)^harness version +1\.4\.0 +1\.4\.1 +differs$`, text)
	require.Contains(t, m.run("task", "t-fix", "--compare", "2", "1", "--format", "markdown"), "| `claimed` | `completed` | `failed` | `differs` |")

	for said, args := range map[string][]string{
		"the task has no attempt 3; it has 1 2":                         {"1", "3"},
		"the effect has no attempt 9; it has 1, 2":                      {"push-7:1", "push-7:9"},
		"the run has no such effect":                                    {"push-8:1", "push-8:2"},
		"an attempt is a number, or an effect id, a colon and a number": {"one", "2"},
		"an attempt at a task cannot be compared with one at an effect": {"push-7:1", "2"},
		"both attempts are the same one":                                {"2", "2"},
	} {
		require.Contains(t, m.refused(append([]string{"task", "t-fix", "--compare"}, args...)...), said)
	}
	usage := m.try("task", "t-fix", "--compare", "1")
	require.Equal(t, 2, usage.Code)
	require.Contains(t, usage.Stderr, "compare needs a task and two attempts")
}
