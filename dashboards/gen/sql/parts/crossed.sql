{{define "crossed"}}crossed AS (
  SELECT tenant, task_id, trace_id, source, name, max(peer) AS peer, max(requested) AS requested, max(negotiated) AS negotiated, max(error_layer) AS layer, max(failed) AS failed,
    max(external_task) AS external_task, argMax(external_state, time_ns) AS external_state, max(degraded) AS degraded, max(time_ns) AS at
  FROM protocols WHERE {{template "facts"}}
  GROUP BY tenant, task_id, trace_id, source, name
){{end}}
