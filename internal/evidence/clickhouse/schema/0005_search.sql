-- Effects, receipts, decisions and artifacts are searched by too. An index over the
-- values of a map serves attributes without a column of their own: artifacts, and all
-- that log records state. Facts of events inside spans are in tables of their own.
-- Parts from before this migration are read whole until they are merged.
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_effect (effect_id, idempotency_key) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_receipt receipt_id TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_decision decision_id TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_value mapValues(attrs_text) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "events"}} ADD INDEX IF NOT EXISTS by_value mapValues(attrs_text) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "event_effects"}} ADD INDEX IF NOT EXISTS by_effect (effect_id, idempotency_key, receipt_id) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "event_decisions"}} ADD INDEX IF NOT EXISTS by_decision decision_id TYPE bloom_filter(0.001) GRANULARITY 1;
