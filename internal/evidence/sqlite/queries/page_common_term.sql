-- The same for a term that many keys have: runs are looked at newest first, and few
-- until the page is full. The cross join keeps the few keys of a run in front. Arguments are those of page_term.
SELECT r.id, r.tenant, r.latest FROM runs r
WHERE r.latest >= ?1 AND (r.latest, r.id) < (?2, ?3) AND (?4 OR r.tenant = ?5)
  AND EXISTS (SELECT 1 FROM run_keys k CROSS JOIN terms t ON t.term = ?6 AND t.key = k.id WHERE k.run = r.id)
ORDER BY r.latest DESC, r.id DESC
