WITH {{template "crossed"}}
SELECT name AS protocol, if(external_task = '', 'none', if(state IN ('completed', 'failed', 'canceled', 'rejected'), 'ended', if(state = '', 'state not stated', state))) AS "external task",
  count() AS tasks, argMax(of_task, latest) AS task, argMax(tenant, latest) AS Tenant
FROM (
  SELECT name, tenant, external_task, argMax(external_state, at) AS state, argMax(task_id, at) AS of_task, max(at) AS latest FROM crossed GROUP BY name, tenant, external_task
)
GROUP BY protocol, "external task" ORDER BY tasks DESC
