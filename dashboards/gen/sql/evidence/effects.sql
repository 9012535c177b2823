WITH {{template "sent"}}
SELECT multiIf(settled, 'receipt or verified', failed_at > 0 AND failed_at >= dispatched_at, 'failed', 'no receipt') AS ended, count() AS effects FROM sent GROUP BY ended ORDER BY effects DESC
