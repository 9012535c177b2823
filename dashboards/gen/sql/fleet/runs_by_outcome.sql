WITH {{template "runs"}},
{{template "claimed"}},
fromUnixTimestamp64Nano(r.started, 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, if(c.outcome = '', 'no claim', toString(c.outcome)) AS claimed, count() AS runs
FROM runs AS r LEFT ANY JOIN claimed AS c ON c.tenant = r.tenant AND c.task_id = r.run
GROUP BY time, claimed ORDER BY time, claimed
