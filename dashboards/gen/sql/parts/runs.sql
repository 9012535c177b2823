{{define "runs"}}{{template "names"}},
steps AS (
  SELECT tenant, trace_id, span_id, max(root_task_id) AS name, max(parent_id) AS parent, min(start_ns) AS started, max(start_ns + duration_ns) AS ended,
    max(status = 'error') AS failed, max(service) AS service, max(agent) AS agent, max(effect_class = 'destructive') AS destructive,
    max(attrs_text['app.sampling.class']) AS class
  {{template "steps"}}
  GROUP BY tenant, trace_id, span_id
),
runs AS (
  SELECT tenant, if(n.run = '', s.name, n.run) AS run, min(s.started) AS started, max(s.ended) AS ended, count() AS steps, sum(s.failed) AS errors,
    argMin(s.service, (s.parent != toFixedString('', 8), s.started)) AS service,
    argMin(s.agent, (s.agent = '', s.parent != toFixedString('', 8), s.started)) AS agent,
    max(s.destructive) AS destructive, max(s.class) AS class
  FROM steps AS s LEFT ANY JOIN names AS n ON n.tenant = s.tenant AND n.name = s.name
  GROUP BY tenant, run
){{end}}
