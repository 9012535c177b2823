{{define "claimed"}}claimed AS (
  SELECT tenant, task_id, argMax(state, (time_ns, source, fact)) AS outcome
  FROM claims
  WHERE time_ns >= toUInt64(toUnixTimestamp($__fromTime)) * 1000000000{{template "tenant"}}
  GROUP BY tenant, task_id
){{end}}
