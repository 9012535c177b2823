-- Runs of one tenant, newest first; ?1 is the oldest time that counts, ?2 the tenant.
SELECT id, tenant FROM runs WHERE tenant = ?2 AND latest >= ?1 ORDER BY latest DESC, id DESC
