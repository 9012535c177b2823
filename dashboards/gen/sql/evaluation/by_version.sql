WITH {{template "judged"}}
SELECT verifier, version, any(judge) AS kind, count() AS verdicts, countIf(result = 'pass') AS pass, countIf(result = 'fail') AS fail, countIf(result = 'unknown') AS unknown,
  if(pass + fail = 0, NULL, round(pass / (pass + fail), 3)) AS "pass rate", round(avg(level), 3) AS "mean score", countIf(NOT comparable) AS "not comparable",
  countIf(missing > 0) AS "with missing input", argMax(task_id, (result = 'fail', time_ns)) AS task, argMax(tenant, (result = 'fail', time_ns)) AS Tenant
FROM judged GROUP BY verifier, version ORDER BY verifier, version
