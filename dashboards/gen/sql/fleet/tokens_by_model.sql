WITH {{template "used"}}
SELECT by_agent AS agent, by_model AS model, by_provider AS provider, count() AS calls, sum(input) AS "input tokens", sum(output) AS "output tokens",
  if(countIf(priced) = 0, NULL, sumIf(cost, priced)) AS cost, countIf(priced) AS "calls with cost"
FROM usage GROUP BY agent, model, provider ORDER BY sum(input) + sum(output) DESC LIMIT 200
