-- Links of a run's spans, in the order of each span; ?1 is the run.
SELECT l.key, l.span_id, l.n, l.to_trace, l.to_span, l.relation, l.trace_state, l.attrs
FROM run_keys k JOIN links l ON l.key = k.id
WHERE k.run = ?1
ORDER BY k.id, l.span_id, l.n
