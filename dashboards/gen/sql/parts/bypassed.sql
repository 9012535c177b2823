{{define "bypassed"}}{{template "decided"}},
ran AS (
  SELECT tenant, trace_id, span_id, max(tool_call_id) AS call, max(task_id) AS task_id, max(tool) AS tool, max(agent) AS agent
  {{template "steps"}} AND tool_call_id != '' AND operation = 'execute_tool'
  GROUP BY tenant, trace_id, span_id
  HAVING max(status = 'error') = 0
),
bypassed AS (
  SELECT d.tenant AS tenant, d.task_id AS task_id, d.decision AS decision, any(r.tool) AS tool, any(r.agent) AS agent, any(d.policy_id) AS policy, any(d.policy_version) AS version,
    any(d.rule_id) AS rule, max(d.time_ns) AS time_ns
  FROM decided AS d LEFT JOIN ran AS r ON r.tenant = d.tenant AND r.call = d.tool_call_id AND (r.trace_id = d.trace_id OR r.task_id = d.task_id)
  WHERE d.verdict IN ('deny', 'abort') AND (d.enforced = 'executed' OR d.enforced NOT IN ('blocked', 'not_reached') AND r.call != '')
    AND (d.tenant, d.task_id, d.tool_call_id) NOT IN (SELECT tenant, task_id, tool_call_id FROM decided WHERE verdict IN ('allow', 'modify') AND tool_call_id != '')
  GROUP BY tenant, task_id, decision
){{end}}
