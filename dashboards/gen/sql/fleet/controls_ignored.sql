SELECT uniqExactIf((tenant, task_id, control_id, layer), phase IN ('ignored', 'lost')) AS "ignored or lost"
FROM controls WHERE {{template "facts"}}
