WITH {{template "crossed"}}
SELECT name AS protocol, if(layer = '', 'not stated', layer) AS layer, count() AS "in error", argMax(task_id, at) AS task, argMax(tenant, at) AS Tenant
FROM crossed WHERE failed GROUP BY protocol, layer ORDER BY "in error" DESC LIMIT 100
