WITH {{template "bypassed"}}
SELECT count() AS value FROM bypassed
