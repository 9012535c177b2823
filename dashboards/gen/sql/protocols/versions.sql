WITH {{template "crossed"}}
SELECT name AS protocol, requested, negotiated, multiIf(negotiated = '', 'not stated', requested = '' OR requested = negotiated, 'as asked', 'other than asked') AS agreed,
  count() AS crossings, uniqExact(peer) AS peers, arrayStringConcat(arraySort(groupUniqArrayArray(degraded)), ', ') AS "done without", argMax(task_id, at) AS task, argMax(tenant, at) AS Tenant
FROM crossed GROUP BY protocol, requested, negotiated ORDER BY crossings DESC LIMIT 200
