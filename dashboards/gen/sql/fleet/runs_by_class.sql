WITH {{template "runs"}}
SELECT if(class = '', 'not stamped', class) AS class, count() AS runs FROM runs GROUP BY class ORDER BY runs DESC, class
