package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return file(filepath.Join(t.TempDir(), "odd ?name#100%", "evidence.db"))
	})
}

// file is a path for the contract suite.
type file string

func (p file) Writer(t *testing.T, now func() time.Time) evidence.Writer {
	w, err := Open(string(p), Settings{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (p file) Reader(t *testing.T) evidence.Reader {
	r, err := OpenReader(string(p))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p file) Verifier(t *testing.T) string {
	key, err := ledger.LoadVerifier(ledger.PublicFile(KeyFile(string(p))))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (p file) Quarantine(t *testing.T) (reasons []string) {
	r, err := OpenReader(string(p))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.db.Query("SELECT reason FROM quarantine")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var reason string
		if err := rows.Scan(&reason); err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}
