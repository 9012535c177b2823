SELECT if(event = '', 'without name', event) AS event, uniqExact(tenant, record) AS records, uniqExact(service) AS services, argMax(task_id, time_ns) AS task, argMax(tenant, time_ns) AS Tenant
FROM events
WHERE time_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND time_ns < toInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}}
GROUP BY event ORDER BY records DESC LIMIT 100
