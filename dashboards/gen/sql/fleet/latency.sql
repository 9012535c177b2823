SELECT act AS operation, what, count() AS steps, round(quantile(0.5)(took)) AS p50, round(quantile(0.95)(took)) AS p95, round(quantile(0.99)(took)) AS p99, max(took) AS longest
FROM (
  SELECT max(operation) AS act, multiIf(act = 'execute_tool', max(tool), act = 'invoke_agent', max(agent), max(model)) AS what, max(duration_ns) / 1000000 AS took
  {{template "steps"}} AND operation != ''
  GROUP BY tenant, trace_id, span_id
)
WHERE took > 0 GROUP BY operation, what ORDER BY p95 DESC LIMIT 100
