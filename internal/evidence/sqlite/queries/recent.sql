-- Runs of all tenants, newest first; ?1 is the oldest time that counts.
SELECT id, tenant FROM runs WHERE latest >= ?1 ORDER BY latest DESC, id DESC
