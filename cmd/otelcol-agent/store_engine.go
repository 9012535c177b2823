package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// engine is a kind of store as the store commands use it. What one engine does
// not offer is found by asking a reader or writer for the interface.
type engine interface {
	Reader(ctx context.Context) (evidence.Reader, error)
	Writer(ctx context.Context) (evidence.Writer, error)
	Migrate(ctx context.Context, dry bool) (evidence.Migrated, error)
	// KeyFiles are where the keys of the log's signer are looked for.
	KeyFiles() []string
}

// storeFlags name a store.
type storeFlags struct {
	dsn, keyFile, cluster string
	newKey                bool
	// How long a server keeps rows by itself; retain gives it to tables that are there.
	evidence, records evidencestore.Age
	retain            bool
}

func (f storeFlags) engine() (engine, error) {
	if dsn := namedStore(f.dsn, os.Getenv); clickhouse.Owns(dsn) {
		s := clickhouse.Settings{DSN: dsn, Cluster: f.cluster, Now: time.Now, KeyFile: f.keyFile, KeepKey: !f.newKey,
			Evidence: time.Duration(f.evidence), Records: time.Duration(f.records)}
		if s.KeyFile == "" {
			folder, err := sqlite.DefaultFolder(os.Getenv)
			if err != nil {
				return nil, fmt.Errorf("signing key: %w", err)
			}
			s.KeyFile = s.DefaultKeyFile(folder)
		}
		return clickHouseEngine{s, f.retain}, nil
	}
	if f.cluster != "" {
		return nil, errors.New("cluster is for a store in ClickHouse")
	}
	if f.retain {
		return nil, errors.New("retention-evidence and retention-records are for a store in ClickHouse; a collector deletes from one in SQLite by its configuration (retention), and `store prune` does")
	}
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

func (e sqliteEngine) Reader(context.Context) (evidence.Reader, error) {
	return sqlite.OpenReader(e.path)
}

// Writer makes no store: who prunes or erases a store that is not there has
// mistyped its name.
func (e sqliteEngine) Writer(context.Context) (evidence.Writer, error) {
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

// clickHouseEngine takes the cluster from the tables that are there.
type clickHouseEngine struct {
	settings clickhouse.Settings
	retain   bool
}

func (e clickHouseEngine) located(ctx context.Context) (clickhouse.Settings, error) {
	s := e.settings
	cluster, err := clickhouse.ClusterOf(ctx, s)
	if err != nil {
		return s, err
	}
	if cluster != "" && s.Cluster != "" && cluster != s.Cluster {
		return s, fmt.Errorf("the tables are spread over the cluster %q, not over the one that --cluster names", cluster)
	}
	s.Cluster = cmp.Or(cluster, s.Cluster)
	return s, nil
}

func (e clickHouseEngine) Reader(ctx context.Context) (evidence.Reader, error) {
	s, err := e.located(ctx)
	if err != nil {
		return nil, err
	}
	return clickhouse.OpenReader(ctx, s)
}

// Writer makes and changes no tables.
func (e clickHouseEngine) Writer(ctx context.Context) (evidence.Writer, error) {
	s, err := e.located(ctx)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(ctx, s)
}

func (e clickHouseEngine) Migrate(ctx context.Context, dry bool) (evidence.Migrated, error) {
	s, err := e.located(ctx)
	if err != nil {
		return evidence.Migrated{}, err
	}
	return clickhouse.Upgrade(ctx, s, dry, e.retain)
}

func (e clickHouseEngine) KeyFiles() []string {
	return []string{ledger.PublicFile(e.settings.KeyFile), e.settings.KeyFile}
}

// offered asks a reader or writer for what an engine may or may not offer.
func offered[T any](from any, what string) (T, error) {
	t, ok := from.(T)
	if !ok {
		return t, fmt.Errorf("this store's engine does not %s", what)
	}
	return t, nil
}
