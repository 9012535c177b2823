WITH {{template "bypassed"}}
SELECT fromUnixTimestamp64Nano(toInt64(time_ns), 'UTC') AS time, tenant AS Tenant, task_id AS task, agent, tool, policy, version, rule, decision
FROM bypassed ORDER BY time DESC LIMIT 200
