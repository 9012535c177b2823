SELECT kind, layer, phase, uniqExact(tenant, task_id, control_id) AS controls, argMax(task_id, time_ns) AS task, argMax(tenant, time_ns) AS Tenant
FROM controls WHERE {{template "facts"}}
GROUP BY kind, layer, phase ORDER BY kind, layer, phase
