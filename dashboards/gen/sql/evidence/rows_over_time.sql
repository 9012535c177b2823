WITH fromUnixTimestamp64Nano(at, 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, kind, sum(n) AS rows FROM (
  SELECT 'steps' AS kind, min(start_ns) AS at, 1 AS n {{template "steps"}} GROUP BY tenant, trace_id, span_id
  UNION ALL
  SELECT 'records', min(time_ns), 1 FROM events
  WHERE time_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND time_ns < toInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}} GROUP BY tenant, record
)
GROUP BY time, kind ORDER BY time, kind
