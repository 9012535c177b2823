SELECT log, argMax(signer, size) AS signer, max(size) AS leaves, fromUnixTimestamp64Nano(max(made_ns), 'UTC') AS "latest head" FROM log_heads GROUP BY log ORDER BY "latest head" DESC LIMIT 50
