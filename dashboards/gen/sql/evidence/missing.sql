SELECT what, name, count() AS times, argMax(of_task, at) AS task, argMax(tenant, at) AS Tenant FROM (
  SELECT 'claim' AS what, arrayJoin(missing) AS name, tenant, task_id AS of_task, max(time_ns) AS at FROM claims WHERE {{template "facts"}} GROUP BY name, tenant, task_id, source
  UNION ALL
  SELECT 'verdict', arrayJoin(missing) AS name, tenant, task_id, max(time_ns) FROM verdicts WHERE {{template "facts"}} GROUP BY name, tenant, task_id, source
  UNION ALL
  SELECT 'decision', arrayJoin(arrayFilter(x -> x != '', [if(decided_by = '', 'app.permission.decided_by', ''), if(policy_id = '' AND rule_id = '', 'app.permission.policy.id', ''),
    if(enforced = '', 'app.permission.enforced', '')])) AS name, tenant, task_id, max(time_ns) FROM event_decisions WHERE {{template "facts"}} GROUP BY name, tenant, task_id, source
)
GROUP BY what, name ORDER BY times DESC LIMIT 100
