WITH {{template "sent"}}
SELECT count() AS "effects without receipt" FROM open
