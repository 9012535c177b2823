package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/example"
)

var update = flag.Bool("update", false, "rewrite the expected output of examples")

func incident(t *testing.T) example.Example {
	t.Helper()
	ex, err := example.Read("../../examples/deploy-incident")
	require.NoError(t, err)
	return ex
}

// TestExamples plays every folder of examples/ and compares the review with the
// expected one, byte for byte, while the collector runs and after it has ended.
func TestExamples(t *testing.T) {
	folders, err := filepath.Glob("../../examples/*/input")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, input := range folders {
		folder := filepath.Dir(input)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			ex, err := example.Read(folder)
			require.NoError(t, err)
			m := newMachine(t)
			p := m.start(ex.Args()...)
			require.NoError(t, ex.Play(m.context(), p.Endpoint))
			check := func(file string, args ...string) {
				got := m.run(args...)
				path := filepath.Join(ex.Folder, "expected", file)
				if *update {
					require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), got, file)
			}
			all := func() {
				check("tasks.txt", "tasks")
				check("review.json", "task", ex.Task, "--format=json")
				check("review.txt", "task", ex.Task)
			}
			all()
			require.NoError(t, p.Stop())
			all()
		})
	}
}

// TestDeployIncident holds the answers that were worked out by hand from the
// rules of attribution; examples/deploy-incident/README.md tells how.
func TestDeployIncident(t *testing.T) {
	ex := incident(t)
	m := newMachine(t)
	p := m.start(ex.Args()...)
	require.NoError(t, ex.Play(m.context(), p.Endpoint))
	require.NoError(t, p.Stop())
	r := m.report(ex.Task)

	require.Equal(t, []string{"t-deploy", "t-deploy-prod"}, r.Tasks)
	require.Contains(t, r.Traces, "4a1f0c7d9b3e48a2a6d5c0b1e2f39701")
	require.Contains(t, r.Traces, "b27e5d1c8f0a4c639e14d7a2c5b80f02")

	require.Equal(t, "step", r.Attribution.Result)
	require.Equal(t, "b27e5d1c8f0a4c639e14d7a2c5b80f02", r.Attribution.TraceID)
	require.Equal(t, "b200000000000004", r.Attribution.SpanID, "the call that timed out ended first")
	require.Equal(t, "deployer", r.Attribution.Agent)
	require.Equal(t, "mcp", r.Attribution.Layer)
	require.Equal(t, "unknown_effect", r.Attribution.Class)
	require.Equal(t, "likely", r.Attribution.Strength)

	require.Equal(t, "security_denial", r.Keep.Class)
	require.ElementsMatch(t, []string{"security_denial", "authority_violation", "unknown_effect", "cancel_ignored", "error"}, r.Keep.Classes)

	states := map[string]string{}
	for _, e := range r.Effects {
		states[e.EffectID] = e.State
		if e.EffectID == "eff-rollout-1842" {
			require.Len(t, e.Attempts, 2)
			require.Equal(t, "first", e.Attempts[0].Relation)
			require.Equal(t, "same_request_unproven", e.Attempts[1].Relation)
		}
	}
	require.Equal(t, map[string]string{"eff-push-1842": "confirmed", "eff-rollout-1842": "unknown"}, states)

	require.Len(t, r.Decisions, 1)
	require.Equal(t, "deny", r.Decisions[0].Verdict)
	require.Equal(t, "no-retry-without-receipt", r.Decisions[0].RuleID)
	require.True(t, r.Decisions[0].Bypass)

	require.Len(t, r.Controls, 1)
	require.Equal(t, "harness", r.Controls[0].StoppedAt)
	require.Equal(t, "mcp", r.Controls[0].IgnoredBy)

	verdicts := map[string]string{}
	for _, v := range r.Verdicts {
		verdicts[v.Verifier+" "+v.Version] = v.Verdict
	}
	require.Equal(t, map[string]string{"unit-tests 3.2.0": "pass", "deploy-probe 0.9.1": "unknown"}, verdicts)
	require.Len(t, r.Verdicts, 2)

	for _, c := range r.Claims {
		require.Equal(t, "completed", c.State, "what the agents said")
	}
	rows := m.tasks()
	require.Equal(t, "completed", rows[0].Outcome)
	require.Equal(t, "unknown", rows[0].Supported, "what the evidence says")
}
