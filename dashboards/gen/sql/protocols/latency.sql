SELECT protocol, peer, count() AS calls, round(quantile(0.5)(took)) AS p50, round(quantile(0.95)(took)) AS p95, max(took) AS longest
FROM (
  SELECT max(attrs_text['app.protocol.name']) AS protocol, max(attrs_text['server.address']) AS peer, max(duration_ns) / 1000000 AS took
  {{template "steps"}} AND mapContains(attrs_text, 'app.protocol.name')
  GROUP BY tenant, trace_id, span_id
)
WHERE took > 0 GROUP BY protocol, peer ORDER BY p95 DESC LIMIT 100
