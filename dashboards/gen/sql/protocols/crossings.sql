WITH {{template "crossed"}}
SELECT name AS protocol, peer, count() AS crossings, countIf(failed) AS "in error", round("in error" / crossings, 3) AS share, uniqExact(tenant, task_id) AS tasks, argMax(task_id, (failed, at)) AS task, argMax(tenant, (failed, at)) AS Tenant
FROM crossed GROUP BY protocol, peer ORDER BY "in error" DESC, crossings DESC LIMIT 200
