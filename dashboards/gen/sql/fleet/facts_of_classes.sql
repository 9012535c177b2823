WITH {{template "bypassed"}},
{{template "sent"}}
SELECT * FROM (
  SELECT 'denied or aborted' AS fact, uniqExact(tenant, task_id) AS tasks, uniqExact(tenant, task_id, decision) AS times FROM decided WHERE verdict IN ('deny', 'abort')
  UNION ALL SELECT 'denied call that ran', uniqExact(tenant, task_id), count() FROM bypassed
  UNION ALL SELECT 'effect sent, no receipt', uniqExact(tenant, run), count() FROM open
  UNION ALL SELECT 'destructive step', uniqExact(tenant, task_id), uniqExact(tenant, trace_id, span_id) {{template "steps"}} AND effect_class = 'destructive'
  UNION ALL SELECT 'control ignored or lost', uniqExact(tenant, task_id), uniqExact(tenant, task_id, control_id, layer) FROM controls WHERE {{template "facts"}} AND phase IN ('ignored', 'lost')
  UNION ALL SELECT 'failing verdict', uniqExact(tenant, task_id), uniqExact(tenant, task_id, subject_kind, subject_id, verifier, version, time_ns) FROM verdicts WHERE {{template "facts"}} AND verdict = 'fail'
  UNION ALL SELECT 'step in error', uniqExact(tenant, task_id), uniqExact(tenant, trace_id, span_id) {{template "steps"}} AND status = 'error'
) ORDER BY times DESC, fact
