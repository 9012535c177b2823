WITH {{template "sent"}}
SELECT fromUnixTimestamp64Nano(toInt64(time_ns), 'UTC') AS "sent at", tenant AS Tenant, run AS task, effect, by_tool AS tool, on_target AS target, of_class AS class, last_stage AS "last stage", tries
FROM open ORDER BY time_ns DESC LIMIT 200
