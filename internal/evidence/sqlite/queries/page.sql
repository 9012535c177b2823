-- Runs of all tenants, newest first; ?1 is the oldest time that counts, ?2 and ?3 the
-- place after which the page begins. ?4 and ?5 are those of page_term.
SELECT id, tenant, latest FROM runs
WHERE latest >= ?1 AND (latest, id) < (?2, ?3) AND ?4 NOTNULL AND ?5 NOTNULL
ORDER BY latest DESC, id DESC
