{{define "judged"}}judged AS (
  SELECT tenant, task_id, subject_kind, subject_id, verifier, version, time_ns, max(kind) AS judge, max(verdict) AS result,
    max(if(scale_max > scale_min, (score - scale_min) / (scale_max - scale_min), score)) AS level, max(comparable) AS comparable, max(length(missing)) AS missing
  FROM verdicts WHERE {{template "facts"}}
  GROUP BY tenant, task_id, subject_kind, subject_id, verifier, version, time_ns
){{end}}
