-- Merkle logs over spans, events and quarantine, one for each start of a writer.
-- Leaves are announced before their rows are inserted, and placed in the tree of
-- their log by a signed checkpoint afterwards. Neither is ever deleted.

-- What was announced together. leaves are as package ledger writes them; entry is
-- what the writer did to the store, of a chunk with one such leaf; note is signed.
CREATE TABLE IF NOT EXISTS {{table "log_leaves"}} (
  log LowCardinality(String),
  chunk Int64 CODEC(Delta(8), ZSTD(1)),
  leaves String CODEC(ZSTD(1)),
  entry String CODEC(ZSTD(1)),
  note String CODEC(ZSTD(1))
) ENGINE = {{replacing ""}}
ORDER BY (log, chunk)
SETTINGS index_granularity = 256, {{window}};

-- Signed heads of the logs. Each places one chunk behind those before it.
CREATE TABLE IF NOT EXISTS {{table "log_heads"}} (
  log LowCardinality(String),
  size Int64 CODEC(Delta(8), ZSTD(1)),
  chunk Int64 CODEC(Delta(8), ZSTD(1)),
  signer LowCardinality(String),
  made_ns Int64 CODEC(Delta(8), ZSTD(1)),
  note String CODEC(ZSTD(1))
) ENGINE = {{replacing ""}}
ORDER BY (log, size)
SETTINGS index_granularity = 1024, {{window}};
