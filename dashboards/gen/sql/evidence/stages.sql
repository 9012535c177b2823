SELECT by_tool AS tool, countIf(sent) AS effects, countIf(sent AND key) AS "with idempotency key", countIf(sent AND digest) AS "with request digest", argMax(of_task, sent) AS task, argMax(tenant, sent) AS Tenant
FROM (
  SELECT max(s.tool) AS by_tool, max(effect_id != '' OR effect_stage != '') AS sent, max(idempotency_key != '') AS key, max(s.request_digest != '') AS digest, max(task_id) AS of_task, tenant
  FROM spans AS s
  WHERE start_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND start_ns < toInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}} AND s.tool != ''
  GROUP BY tenant, trace_id, span_id
)
GROUP BY tool HAVING effects > 0 ORDER BY effects DESC LIMIT 100
