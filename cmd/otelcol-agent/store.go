package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// storeVariable names the store for collector and commands alike.
const storeVariable = "OTELCOL_AGENT_STORE"

// serverVariable names the store of a gateway that keeps it in ClickHouse.
const serverVariable = "OTELCOL_AGENT_CLICKHOUSE"

// namedStore is the store that a flag names, else the environment.
func namedStore(flag string, getenv func(string) string) string {
	return cmp.Or(flag, getenv(storeVariable), getenv(serverVariable))
}

// openReader opens the store that a flag names, else the environment, else the
// one in the user's data folder.
func openReader(ctx context.Context, dsn string) (evidence.Reader, error) {
	if name := namedStore(dsn, os.Getenv); clickhouse.Owns(name) {
		r, err := clickhouse.OpenReader(ctx, clickhouse.Settings{DSN: name})
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		return r, nil
	}
	path, err := storePath(dsn, os.Getenv)
	if err != nil {
		return nil, err
	}
	return sqlite.OpenReader(path)
}

func storePath(dsn string, getenv func(string) string) (string, error) {
	path, err := sqlite.PathOf(namedStore(dsn, getenv), getenv)
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	return path, nil
}
