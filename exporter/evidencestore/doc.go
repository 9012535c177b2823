// Package evidencestore keeps spans and log records as evidence of agent runs.
//
// Words:
//
//   - dsn: where the store is: sqlite:PATH, or a ClickHouse server
//   - stored: on disk, or taken by the server; only then is a batch acknowledged
//   - retention: how long rows are kept
//
// The package turns pdata into rows and rows over to the store, and asks it
// from time to time to delete what is too old. What a row, a run or a fact is
// it does not know: see internal/evidence.
package evidencestore
