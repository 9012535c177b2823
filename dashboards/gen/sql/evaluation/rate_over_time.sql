WITH {{template "judged"}},
fromUnixTimestamp64Nano(toInt64(time_ns), 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, concat(verifier, '@', version) AS verifier, round(countIf(result = 'pass') / count(), 3) AS passed
FROM judged WHERE result IN ('pass', 'fail') GROUP BY time, verifier ORDER BY time, verifier
