WITH {{template "crossed"}},
fromUnixTimestamp64Nano(toInt64(at), 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, name AS protocol, countIf(failed) AS failed
FROM crossed GROUP BY time, protocol ORDER BY time, protocol
