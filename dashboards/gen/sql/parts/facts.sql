{{define "facts"}}time_ns >= toUInt64(toUnixTimestamp($__fromTime)) * 1000000000 AND time_ns < toUInt64(toUnixTimestamp($__toTime)) * 1000000000{{template "tenant"}}{{end}}
