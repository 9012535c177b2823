-- Runs that have a key and hold something; ?1 kind, ?2 first and ?3 last key of a range.
SELECT DISTINCT k.tenant, k.run
FROM run_keys k JOIN runs r ON r.id = k.run
WHERE k.kind = ?1 AND k.key BETWEEN ?2 AND ?3 AND r.latest IS NOT NULL
ORDER BY k.tenant, k.run
