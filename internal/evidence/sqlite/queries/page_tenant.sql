-- The same of one tenant, ?5; ?4 is that of page_term.
SELECT id, tenant, latest FROM runs
WHERE tenant = ?5 AND latest >= ?1 AND (latest, id) < (?2, ?3) AND ?4 NOTNULL
ORDER BY latest DESC, id DESC
