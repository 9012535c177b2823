WITH {{template "runs"}},
{{template "claimed"}}
SELECT fromUnixTimestamp64Nano(r.started, 'UTC') AS started, r.tenant AS Tenant, r.run AS task, if(c.outcome = '', 'no claim', toString(c.outcome)) AS claimed, r.class AS class, r.agent AS agent, r.service AS service,
  r.steps AS steps, r.errors AS errors, (r.ended - r.started) / 1000000 AS took
FROM runs AS r LEFT ANY JOIN claimed AS c ON c.tenant = r.tenant AND c.task_id = r.run
ORDER BY r.started DESC LIMIT 100
