WITH {{template "judged"}}
SELECT max(fromUnixTimestamp64Nano(toInt64(time_ns), 'UTC')) AS latest, tenant AS Tenant, task_id AS task, subject_kind AS kind, subject_id AS subject,
  arrayStringConcat(arraySort(groupUniqArray(concat(verifier, '@', version, ' ', result))), ', ') AS verdicts, uniqExactIf(result, result IN ('pass', 'fail')) > 1 AS "pass and fail"
FROM judged GROUP BY Tenant, task, kind, subject ORDER BY "pass and fail" DESC, latest DESC LIMIT 200
