-- Spans of a run, without their links; ?1 is the run.
SELECT k.key AS trace, s.key, s.span_id, s.parent_id, s.source, s.name, s.kind, s.start_ns, s.end_ns, s.status,
       s.status_message, s.trace_state, s.task_id, s.operation, s.agent, s.tool, s.attrs, s.events, s.links, s.facts, s.seen, s.leaf
FROM run_keys k JOIN spans s ON s.key = k.id
WHERE k.run = ?1
