{{define "decided"}}decided AS (
  SELECT tenant, task_id, trace_id, source, if(decision_id != '', decision_id, if(tool_call_id != '', concat(tool_call_id, ' ', decided_by), hex(source))) AS decision,
    tool_call_id, verdict, decided_by, policy_id, policy_version, rule_id, enforced, max(at) AS time_ns
  FROM (
    SELECT tenant, task_id, trace_id, concat(span_id, '') AS source, decision_id, tool_call_id, toString(decision) AS verdict, decided_by, policy_id, policy_version,
      rule_id, enforced, toUInt64(greatest(start_ns + duration_ns, 0)) AS at
    {{template "steps"}} AND decision IN ('allow', 'deny', 'ask', 'modify', 'abort')
    UNION ALL
    SELECT tenant, task_id, trace_id, source, decision_id, tool_call_id, toString(verdict), decided_by, policy_id, policy_version, rule_id, enforced, time_ns
    FROM event_decisions WHERE {{template "facts"}}
  )
  GROUP BY tenant, task_id, trace_id, source, decision, tool_call_id, verdict, decided_by, policy_id, policy_version, rule_id, enforced
){{end}}
