WITH toUInt64(toUnixTimestamp($__fromTime)) * 1000000000 AS since, toUInt64(toUnixTimestamp($__toTime)) * 1000000000 AS until, since - least(until - since, since) AS before
SELECT verifier, version, countIf(time_ns >= since) AS now, countIf(time_ns < since) AS earlier,
  round(countIf(time_ns >= since AND result = 'pass') / nullIf(countIf(time_ns >= since AND result IN ('pass', 'fail')), 0), 3) AS "pass rate now",
  round(countIf(time_ns < since AND result = 'pass') / nullIf(countIf(time_ns < since AND result IN ('pass', 'fail')), 0), 3) AS "pass rate earlier",
  round("pass rate now" - "pass rate earlier", 3) AS change,
  round(avgIf(level, time_ns >= since) - avgIf(level, time_ns < since), 3) AS "change of score"
FROM (
  SELECT tenant, task_id, subject_kind, subject_id, verifier, version, time_ns, max(verdict) AS result,
    max(if(scale_max > scale_min, (score - scale_min) / (scale_max - scale_min), score)) AS level
  FROM verdicts WHERE time_ns >= before AND time_ns < until{{template "tenant"}}
  GROUP BY tenant, task_id, subject_kind, subject_id, verifier, version, time_ns
)
GROUP BY verifier, version ORDER BY abs(ifNull(change, 0)) DESC, verifier, version
