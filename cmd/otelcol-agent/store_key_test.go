package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// copyOf is a store's file alone: its key stays where it was.
func copyOf(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	elsewhere := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, os.WriteFile(elsewhere, b, 0o600))
	return elsewhere
}

func TestACopyWithoutItsKeyIsNotWrittenUnlessAskedFor(t *testing.T) {
	path := storeOf(t, 3)
	elsewhere := copyOf(t, path)
	before, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	erase := []string{"store", "erase", "--subject", subject, "--store", elsewhere}
	for _, args := range [][]string{{"store", "prune", "--evidence", "90m", "--store", elsewhere}, erase, append(erase, "--dry-run")} {
		_, _, err := execute(args...)
		require.ErrorContains(t, err, "no key is there")
		require.ErrorContains(t, err, sqlite.KeyFile(elsewhere))
		require.ErrorContains(t, err, "--new-key")
		require.NoFileExists(t, sqlite.KeyFile(elsewhere))
		after, err := os.ReadFile(elsewhere)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
	_, _, err = execute("store", "prune", "--evidence", "90m", "--store", elsewhere, "--key-file", sqlite.KeyFile(storeOf(t, 1)))
	require.ErrorContains(t, err, "the key there is "+ledger.KeyName+"+")
	require.Contains(t, run(t, nil, "store", "prune", "--evidence", "90m", "--store", elsewhere, "--key-file", sqlite.KeyFile(path)), "deleted")
}

func TestVerifyTellsOfAChangeOfTheKey(t *testing.T) {
	path := storeOf(t, 3)
	old := ledger.PublicFile(sqlite.KeyFile(path))
	saved := filepath.Join(t.TempDir(), "checkpoint")
	stdout := run(t, nil, "verify", "--store", path, "--save", saved)
	require.Contains(t, stdout, "1 checkpoint of the store holds;")
	require.Contains(t, stdout, "trusted: the key beside the store, "+ledger.KeyName+"+")
	require.NotContains(t, run(t, nil, "verify", "--store", path, "--key", old), "trusted:")
	require.NotContains(t, run(t, nil, "verify", "--store", path, "--since", saved), "trusted:")

	elsewhere := copyOf(t, path)
	run(t, nil, "store", "prune", "--evidence", "90m", "--store", elsewhere, "--new-key")
	fresh := ledger.PublicFile(sqlite.KeyFile(elsewhere))
	stdout, _, err := execute("verify", "--store", elsewhere)
	require.ErrorContains(t, err, "not as it was recorded", "the checkpoint of the former key stays, and nobody vouches for it")
	key, err := ledger.LoadVerifier(fresh)
	require.NoError(t, err)
	require.Contains(t, stdout, "new_key: from here on signed by "+ledger.NameOf(key))
	former, err := ledger.LoadVerifier(old)
	require.NoError(t, err)
	require.Contains(t, stdout, "says to be signed by "+ledger.NameOf(former))
	require.Contains(t, stdout, "known: "+ledger.NameOf(key)+"; if the log's key was changed")
	_, _, err = execute("verify", "--store", elsewhere, "--since", saved)
	require.ErrorContains(t, err, "signed by "+ledger.NameOf(former)+"; known: "+ledger.NameOf(key))

	stdout = run(t, nil, "verify", "--store", elsewhere, "--key", old, "--key", fresh, "--since", saved)
	require.Contains(t, stdout, "new_key")
	require.Contains(t, stdout, "1 retention and 0 steps of erasure")
	require.Contains(t, run(t, nil, "verify", "--store", elsewhere, "--key", old, "--key", fresh, "--entries"), "retention: took evidence from before ")
}
