-- What tells whether a run's rows are those of before: how many there are, the last of
-- their leaves, and the sum of all; ?1 is the run.
SELECT count(*), coalesce(max(leaf), 0), coalesce(sum(leaf), 0) FROM (
  SELECT s.leaf FROM run_keys k JOIN spans s ON s.key = k.id WHERE k.run = ?1
  UNION ALL
  SELECT e.leaf FROM run_keys k JOIN events e ON e.key = k.id WHERE k.run = ?1)
