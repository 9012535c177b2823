{{define "steps"}}FROM spans
WHERE start_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND start_ns < toInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}}{{end}}
