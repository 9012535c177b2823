package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// engine is a kind of store as the store commands use it. What one engine does
// not offer is found by asking a reader or writer for the interface.
type engine interface {
	Reader() (evidence.Reader, error)
	Writer() (evidence.Writer, error)
	Migrate(ctx context.Context, dry bool) (evidence.Migrated, error)
	// KeyFiles are where the keys of the log's signer are looked for.
	KeyFiles() []string
}

// storeFlags name a store.
type storeFlags struct {
	dsn, keyFile string
	newKey       bool
}

func (f storeFlags) engine() (engine, error) {
	path, err := storePath(f.dsn, os.Getenv)
	if err != nil {
		return nil, err
	}
	return sqliteEngine{path, sqlite.Settings{Now: time.Now, KeyFile: f.keyFile, KeepKey: !f.newKey}}, nil
}

type sqliteEngine struct {
	path     string
	settings sqlite.Settings
}

func (e sqliteEngine) Reader() (evidence.Reader, error) { return sqlite.OpenReader(e.path) }

// Writer makes no store: who prunes or erases a store that is not there has
// mistyped its name.
func (e sqliteEngine) Writer() (evidence.Writer, error) {
	if _, err := os.Stat(e.path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no evidence store at %s; name the file that the collector writes (--store)", e.path)
	}
	return sqlite.Open(e.path, e.settings)
}

func (e sqliteEngine) Migrate(ctx context.Context, dry bool) (evidence.Migrated, error) {
	return sqlite.Migrate(ctx, e.path, e.settings, dry)
}

func (e sqliteEngine) KeyFiles() []string {
	key := e.settings.KeyFile
	if key == "" {
		key = sqlite.KeyFile(e.path)
	}
	return []string{ledger.PublicFile(key), key}
}

// offered asks a reader or writer for what an engine may or may not offer.
func offered[T any](from any, what string) (T, error) {
	t, ok := from.(T)
	if !ok {
		return t, fmt.Errorf("this store's engine does not %s", what)
	}
	return t, nil
}
