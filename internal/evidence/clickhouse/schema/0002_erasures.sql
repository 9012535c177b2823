-- Every time a subject was erased, for whoever asks later where rows are. subject
-- is a hash of what was asked for, so that the log does not name whom it forgets.
-- state: begun, before anything is deleted, with what is about to be; done, after.
CREATE TABLE IF NOT EXISTS {{table "erasures"}} (
  state LowCardinality(String),
  subject String,
  whole_runs Bool,
  spans UInt64,
  records UInt64,
  facts UInt64,
  quarantined UInt64,
  at_ns Int64
) ENGINE = {{plain}}
ORDER BY at_ns
SETTINGS {{window}};
