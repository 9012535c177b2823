WITH {{template "judged"}},
fromUnixTimestamp64Nano(toInt64(time_ns), 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, concat(verifier, '@', version) AS verifier, round(avg(level), 3) AS score
FROM judged WHERE level IS NOT NULL AND comparable GROUP BY time, verifier ORDER BY time, verifier
