SELECT uniqExact(tenant, kind, trace_id, id, digest) AS "rows set aside" FROM quarantine
WHERE seen_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND seen_ns < toInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}}
