WITH {{template "decided"}}
SELECT uniqExact(tenant, task_id, decision) AS denials FROM decided WHERE verdict IN ('deny', 'abort')
