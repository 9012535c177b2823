WITH {{template "decided"}}
SELECT policy_id AS policy, policy_version AS version, rule_id AS rule, decided_by AS "decided by", uniqExact(tenant, task_id, decision) AS denials,
  uniqExact(tenant, task_id) AS tasks, argMax(task_id, time_ns) AS task, argMax(tenant, time_ns) AS Tenant, fromUnixTimestamp64Nano(toInt64(max(time_ns)), 'UTC') AS latest
FROM decided WHERE verdict IN ('deny', 'abort')
GROUP BY policy, version, rule, decided_by ORDER BY denials DESC, policy, version, rule LIMIT 200
