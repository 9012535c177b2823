WITH {{template "used"}},
fromUnixTimestamp64Nano(started, 'UTC') AS moment
SELECT $__timeInterval(moment) AS time, if(by_model = '', 'model not stated', by_model) AS model, sum(input + output) AS tokens
FROM usage GROUP BY time, model ORDER BY time, model
