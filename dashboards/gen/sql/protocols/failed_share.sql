WITH {{template "crossed"}}
SELECT count() AS crossings, countIf(failed) AS failed FROM crossed
