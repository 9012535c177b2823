-- Runs with a key that a term leads to, ?6 its hash; of all tenants if ?4, else of ?5.
SELECT r.id, r.tenant, r.latest
FROM (SELECT DISTINCT k.run FROM terms t JOIN run_keys k ON k.id = t.key WHERE t.term = ?6) AS found JOIN runs r ON r.id = found.run
WHERE r.latest >= ?1 AND (r.latest, r.id) < (?2, ?3) AND (?4 OR r.tenant = ?5)
ORDER BY r.latest DESC, r.id DESC
