WITH {{template "judged"}}
SELECT count() AS verdicts, countIf(result = 'fail') AS failing, countIf(result = 'unknown') AS unknown FROM judged
