{{define "sent"}}stages AS (
  SELECT tenant, task_id, effect_id AS id, toString(effect_stage) AS stage, tool, effect_target AS target, effect_class AS class, ifNull(effect_attempt, 0) AS attempt,
    request_digest, idempotency_key, reported_by, toUInt64(greatest(if(effect_stage IN ('intent', 'dispatched'), start_ns, start_ns + duration_ns), 0)) AS at
  FROM spans WHERE start_ns >= toInt64(toUnixTimestamp($__fromTime)) * 1000000000{{template "tenant"}} AND (effect_id != '' OR effect_stage != '')
  UNION ALL
  SELECT tenant, task_id, effect_id, toString(stage), tool, target, class, attempt, request_digest, idempotency_key, reported_by, time_ns
  FROM event_effects WHERE time_ns >= toUInt64(toUnixTimestamp($__fromTime)) * 1000000000{{template "tenant"}} AND (effect_id != '' OR stage != '')
),
homes AS (
  SELECT tenant, if(kind = 0, concat('trace:', lower(hex(key))), key) AS task_id, argMax(root_task_id, ver) AS run
  FROM run_roots WHERE key GLOBAL IN (SELECT if(startsWith(task_id, 'trace:'), unhex(substring(task_id, 7)), task_id) FROM stages)
  GROUP BY tenant, kind, key
),
sent AS (
  SELECT tenant, if(h.run = '', s.task_id, h.run) AS run, if(id != '', id, hex(cityHash64(task_id, tool, target, request_digest, idempotency_key))) AS effect,
    maxIf(tool, tool != '') AS by_tool, maxIf(target, target != '') AS on_target, maxIf(class, class != '') AS of_class, minIf(at, stage IN ('dispatched', 'acked', 'receipt', 'verified', 'failed')) AS time_ns,
    greatest(uniqExactIf(attempt, stage IN ('dispatched', 'acked')), 1) AS tries, argMaxIf(stage, at, stage != '') AS last_stage,
    countIf(stage IN ('dispatched', 'acked')) > 0 AS went_out,
    countIf(stage IN ('receipt', 'verified')) > 0 AS settled, maxIf(at, stage = 'failed' AND reported_by != 'caller') AS failed_at, maxIf(at, stage = 'dispatched') AS dispatched_at
  FROM stages AS s LEFT ANY JOIN homes AS h ON h.tenant = s.tenant AND h.task_id = s.task_id
  GROUP BY tenant, run, effect
  HAVING countIf(stage IN ('dispatched', 'acked', 'receipt', 'verified', 'failed')) > 0 AND time_ns < toUInt64(toUnixTimestamp($__toTime)) * 1000000000
),
open AS (SELECT * FROM sent WHERE went_out AND NOT settled AND NOT (failed_at > 0 AND failed_at >= dispatched_at)){{end}}
