-- Records of a run; trace is null where a task id joins them; ?1 is the run.
SELECT CASE k.kind WHEN 0 THEN k.key END AS trace,
       e.time_ns, e.record, e.key, e.span_id, e.source, e.observed_ns, e.event, e.severity, e.body, e.attrs, e.seen, e.leaf
FROM run_keys k JOIN events e ON e.key = k.id
WHERE k.run = ?1
