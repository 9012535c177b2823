WITH {{template "bypassed"}}
SELECT count() AS "denied calls that ran" FROM bypassed
