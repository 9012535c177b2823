WITH {{template "judged"}},
latest AS (
  SELECT tenant, task_id, subject_kind, subject_id, verifier, version, argMax(result, time_ns) AS result, max(time_ns) AS at
  FROM judged GROUP BY tenant, task_id, subject_kind, subject_id, verifier, version
)
SELECT countIf(disagree) AS "subjects in dispute", count() AS "subjects judged" FROM (
  SELECT uniqExactIf(result, result IN ('pass', 'fail')) > 1 AS disagree FROM latest
  GROUP BY tenant, if(subject_id = '', task_id, ''), subject_kind, subject_id
)
