WITH fromUnixTimestamp64Nano(started, 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, act AS operation, round(quantile(0.95)(took)) AS p95
FROM (
  SELECT max(operation) AS act, min(start_ns) AS started, max(duration_ns) / 1000000 AS took
  {{template "steps"}} AND operation != ''
  GROUP BY tenant, trace_id, span_id
)
WHERE took > 0 GROUP BY time, operation ORDER BY time, operation
