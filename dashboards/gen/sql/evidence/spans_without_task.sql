SELECT uniqExact(tenant, trace_id, span_id) AS steps, uniqExactIf((tenant, trace_id, span_id), startsWith(task_id, 'trace:')) AS "without task id" {{template "steps"}}
