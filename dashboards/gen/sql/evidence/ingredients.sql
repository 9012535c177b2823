WITH {{template "names"}},
kept AS (
  SELECT tenant, root_task_id AS name, argMin(service, (parent_id != toFixedString('', 8), start_ns)) AS by_service, min((parent_id != toFixedString('', 8), start_ns)) AS place, max(goal_digest != '') AS goal, max(harness_version != '' OR mapContains(attrs_text, 'gen_ai.agent.version')) AS version,
    max(mapContains(attrs_text, 'app.tool_catalog.hash')) AS catalog, max(mapContains(attrs_text, 'app.context.hash')) AS context,
    max(mapContains(attrs_text, 'app.authority.subject') OR mapContains(attrs_text, 'app.authority.actor')) AS authority, max(task_stated) AS stated,
    max(attrs_bool['app.sampling.incomplete']) AS incomplete
  {{template "steps"}}
  GROUP BY tenant, name
),
judged AS (SELECT DISTINCT tenant, task_id FROM verdicts WHERE {{template "facts"}} AND verdict IN ('pass', 'fail') AND verifier != '' AND version != ''),
{{template "claimed"}}
SELECT by_service AS service, count() AS runs, avg(has_task) AS "task id", avg(has_goal) AS goal, avg(has_version) AS version, avg(has_catalog) AS "tool catalog", avg(has_context) AS context,
  avg(has_authority) AS authority, avg(has_verdict) AS verifier, avg(has_claim) AS claim, sum(cut) AS "not whole"
FROM (
  SELECT k.tenant AS tenant, if(n.run = '', k.name, n.run) AS run, argMin(k.by_service, k.place) AS by_service, max(k.goal) AS has_goal, max(k.version) AS has_version, max(k.catalog) AS has_catalog,
    max(k.context) AS has_context, max(k.authority) AS has_authority, max(k.stated) AS has_task, max(k.incomplete) AS cut,
    (tenant, run) IN (SELECT tenant, task_id FROM judged) AS has_verdict, (tenant, run) IN (SELECT tenant, task_id FROM claimed) AS has_claim
  FROM kept AS k LEFT ANY JOIN names AS n ON n.tenant = k.tenant AND n.name = k.name
  GROUP BY tenant, run
)
GROUP BY service ORDER BY runs DESC LIMIT 100
