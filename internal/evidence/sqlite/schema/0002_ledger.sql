-- A Merkle log over the rows, and what the store did to itself. Rows from before
-- this migration carry no leaf.

-- Leaves one after the other, as package ledger writes them, a few in a row.
CREATE TABLE leaves (
  first INTEGER PRIMARY KEY, -- number of the first leaf
  data  BLOB NOT NULL
) STRICT;

-- Retention, erasures and keys, as package ledger writes them.
CREATE TABLE log_entries (
  leaf INTEGER PRIMARY KEY,
  made INTEGER, -- when, null without a clock
  body TEXT NOT NULL
) STRICT;

-- Signed heads of the log: the last of every hour, and the newest, which covers
-- everything that was acknowledged.
DROP TABLE checkpoints;
CREATE TABLE checkpoints (
  size  INTEGER PRIMARY KEY, -- leaves covered
  note  TEXT NOT NULL,       -- signed note
  peaks BLOB NOT NULL,       -- of the tree, to go on from
  made  INTEGER NOT NULL     -- when, 0 without a clock
) STRICT;

ALTER TABLE spans       ADD COLUMN leaf INTEGER;
ALTER TABLE events      ADD COLUMN leaf INTEGER;
ALTER TABLE quarantine  ADD COLUMN leaf INTEGER;
ALTER TABLE decisions   ADD COLUMN leaf INTEGER;
ALTER TABLE effects     ADD COLUMN leaf INTEGER;
ALTER TABLE controls    ADD COLUMN leaf INTEGER;
ALTER TABLE verdicts    ADD COLUMN leaf INTEGER;
ALTER TABLE claims      ADD COLUMN leaf INTEGER;
ALTER TABLE protocols   ADD COLUMN leaf INTEGER;
ALTER TABLE extensions  ADD COLUMN leaf INTEGER;
