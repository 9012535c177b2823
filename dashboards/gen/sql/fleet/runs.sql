WITH {{template "runs"}}
SELECT count() AS runs, countIf(errors > 0) AS "with errors" FROM runs
