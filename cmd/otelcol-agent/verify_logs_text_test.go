package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

func TestVerifyTellsOfEachWriter(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 2, hour, 0, 0, 0, time.UTC) }
	r := ledger.Report{Since: 4, Checkpoints: 5, Present: 9, Unlogged: 2, Unsigned: "span aa", Announced: 3, Unsettled: 1, Unproven: 4, Logs: []ledger.LogReport{
		{Origin: "o1", Key: "k+1", Known: true, Began: at(1), Last: at(3), Leaves: 5, Checkpoints: 2, Since: 4},
		{Origin: "o2", Key: "k+1", Known: true, Began: at(2), Last: at(2), Leaves: 6, Checkpoints: 3, Since: -1},
		{Origin: "o3", Key: "x\x1b+2", Leaves: 1, Since: -1},
	}}
	var out bytes.Buffer
	require.NoError(t, writeVerified(&out, r, verified{}))
	text := out.String()
	for _, says := range []string{
		"writer k+1: 11 leaves in 2 logs from 2026-11-02T01:00:00Z to 2026-11-02T03:00:00Z; 5 checkpoints hold; the given one covers 4\n",
		"two of these logs were written at the same time",
		"+2: 1 leaf in 1 log; its key is not known, so nothing is proved of it\n",
		"3 leaves were announced and never settled, by batches that broke off before they were acknowledged; 1 row has only those\n",
		"4 rows were recorded by writers whose keys are not known\n",
		"unsigned: 2 rows have no leaf; the first is span aa\n",
	} {
		require.Contains(t, text, says)
	}
	require.NotContains(t, text, "\x1b")
	r.Logs[1].Began, r.Logs[1].Last = at(3), at(4)
	out.Reset()
	require.NoError(t, writeVerified(&out, r, verified{}))
	require.NotContains(t, out.String(), "at the same time")
}
