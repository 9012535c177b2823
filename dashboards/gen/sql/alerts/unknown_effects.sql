WITH {{template "sent"}}
SELECT count() AS value FROM open WHERE time_ns < toUInt64(toUnixTimestamp($__toTime) - 600) * 1000000000
