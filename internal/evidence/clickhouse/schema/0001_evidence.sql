-- Evidence of agent runs. Times are Unix nanoseconds, ids are bytes.
--
-- Rows are never changed. A span that grows is several rows, one a statement,
-- which are merged when they are read; the same statement sent again is the
-- same row. So the order and the number of deliveries do not matter, and
-- several collectors may write at once.
--
-- "task_id" is the task that a row states, else 'trace:' and its trace, else
-- empty. "seen_ns" is filled only where a row's own time cannot be true (zero,
-- or far ahead of the clock) and then stands for its age. "ver" makes the row
-- that came first win. attrs_other, events, body and attrs of links hold what
-- no typed column can, as package codec writes it.
--
-- This file is a template: see schema.go. Each statement can be run again.

CREATE TABLE IF NOT EXISTS {{table "spans"}} (
  tenant LowCardinality(String),
  task_id String CODEC(ZSTD(1)),
  start_ns Int64 CODEC(Delta(8), ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  statement UInt64 CODEC(NONE),
  duration_ns Int64 CODEC(T64, ZSTD(1)),
  seen_ns Int64,
  ver UInt64,
  parent_id FixedString(8) CODEC(ZSTD(1)),
  root_task_id String CODEC(ZSTD(1)),
  source UInt64,
  name LowCardinality(String),
  kind LowCardinality(String),
  status LowCardinality(String),
  status_message String,
  trace_state String,
  service LowCardinality(String),
  links UInt32,
  task_stated Bool,
  parent_task_id String CODEC(ZSTD(1)),
  stated_root_task_id String CODEC(ZSTD(1)),
  goal_digest String CODEC(ZSTD(1)),
  harness LowCardinality(String),
  harness_version LowCardinality(String),
  operation LowCardinality(String),
  agent LowCardinality(String),
  tool LowCardinality(String),
  tool_call_id String CODEC(ZSTD(1)),
  model LowCardinality(String),
  provider LowCardinality(String),
  conversation_id String CODEC(ZSTD(1)),
  session_id String CODEC(ZSTD(1)),
  error_type LowCardinality(String),
  effect_class LowCardinality(String),
  decision_id String CODEC(ZSTD(1)),
  decision LowCardinality(String),
  decided_by LowCardinality(String),
  decision_scope LowCardinality(String),
  policy_id String CODEC(ZSTD(1)),
  policy_version String CODEC(ZSTD(1)),
  rule_id String CODEC(ZSTD(1)),
  enforced LowCardinality(String),
  decision_raw String CODEC(ZSTD(1)),
  effect_id String CODEC(ZSTD(1)),
  effect_stage LowCardinality(String),
  effect_target String CODEC(ZSTD(1)),
  request_digest String CODEC(ZSTD(1)),
  result_digest String CODEC(ZSTD(1)),
  idempotency_key String CODEC(ZSTD(1)),
  receipt_id String CODEC(ZSTD(1)),
  reported_by LowCardinality(String),
  input_tokens Nullable(Int64) CODEC(ZSTD(1)),
  output_tokens Nullable(Int64) CODEC(ZSTD(1)),
  attempt Nullable(Int64) CODEC(ZSTD(1)),
  effect_attempt Nullable(Int64) CODEC(ZSTD(1)),
  attrs_text Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  attrs_int Map(LowCardinality(String), Int64) CODEC(ZSTD(1)),
  attrs_double Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
  attrs_bool Map(LowCardinality(String), Bool) CODEC(ZSTD(1)),
  attrs_list Map(LowCardinality(String), Array(String)) CODEC(ZSTD(1)),
  attrs_other String CODEC(ZSTD(1)),
  events String CODEC(ZSTD(1)),
  start DateTime64(9, 'UTC') ALIAS fromUnixTimestamp64Nano(start_ns, 'UTC'),
  age_ns Int64 ALIAS if(seen_ns = 0, greatest(start_ns, start_ns + duration_ns), seen_ns),
  INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = {{replacing "ver"}}
PARTITION BY toYYYYMM(toDateTime(intDiv(if(seen_ns = 0, greatest(start_ns, start_ns + duration_ns), seen_ns), 1000000000), 'UTC'))
ORDER BY (tenant, task_id, start_ns, trace_id, span_id, statement)
{{ttl "evidence" "if(seen_ns = 0, greatest(start_ns, start_ns + duration_ns), seen_ns)"}}
SETTINGS index_granularity = 4096, {{window}};

CREATE TABLE IF NOT EXISTS {{table "links"}} (
  tenant LowCardinality(String),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  statement UInt64 CODEC(ZSTD(1)),
  n UInt32 CODEC(ZSTD(1)),
  to_trace FixedString(16) CODEC(ZSTD(1)),
  to_span FixedString(8) CODEC(ZSTD(1)),
  relation LowCardinality(String),
  stated Bool,
  trace_state String,
  attrs String CODEC(ZSTD(1)),
  age_ns Int64 CODEC(ZSTD(1)),
  ver UInt64
) ENGINE = {{replacing "ver"}}
PARTITION BY toYYYYMM(toDateTime(intDiv(age_ns, 1000000000), 'UTC'))
ORDER BY (tenant, trace_id, span_id, statement, n)
{{ttl "evidence" "age_ns"}}
SETTINGS index_granularity = 2048, {{window}};

-- The way back: who links to this span or trace.
CREATE TABLE IF NOT EXISTS {{table "links_rev"}} (
  tenant LowCardinality(String),
  to_trace FixedString(16) CODEC(ZSTD(1)),
  to_span FixedString(8) CODEC(ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  relation LowCardinality(String),
  age_ns Int64 CODEC(ZSTD(1)),
  ver UInt64
) ENGINE = {{replacing "ver"}}
PARTITION BY toYYYYMM(toDateTime(intDiv(age_ns, 1000000000), 'UTC'))
ORDER BY (tenant, to_trace, to_span, trace_id, span_id, relation)
{{ttl "evidence" "age_ns"}}
SETTINGS index_granularity = 2048, {{window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{view "links_to_rev" "links_rev"}} AS
SELECT tenant, to_trace, to_span, trace_id, span_id, relation, age_ns, ver FROM {{stored "links"}};

-- What is stated of a task. Of several statements the first in byte order
-- stands, so that the order of arrival does not matter.
CREATE VIEW IF NOT EXISTS {{plain_view "tasks"}} AS
SELECT tenant, task_id, min(nullIf(s.parent_task_id, '')) AS parent_id, min(nullIf(s.stated_root_task_id, '')) AS root_id,
  min(nullIf(s.goal_digest, '')) AS goal_digest, min(nullIf(toString(s.agent), '')) AS agent,
  min(nullIf(toString(s.harness), '')) AS harness, min(nullIf(toString(s.harness_version), '')) AS harness_version,
  max(greatest(ifNull(s.attempt, 1), 1)) AS attempts
FROM {{spread "spans"}} AS s WHERE task_stated GROUP BY tenant, task_id;

-- Log records.
CREATE TABLE IF NOT EXISTS {{table "events"}} (
  tenant LowCardinality(String),
  task_id String CODEC(ZSTD(1)),
  time_ns Int64 CODEC(Delta(8), ZSTD(1)),
  record FixedString(16) CODEC(NONE),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  observed_ns Int64 CODEC(Delta(8), ZSTD(1)),
  seen_ns Int64,
  ver UInt64,
  root_task_id String CODEC(ZSTD(1)),
  source UInt64,
  service LowCardinality(String),
  event LowCardinality(String),
  severity LowCardinality(String),
  body_text String CODEC(ZSTD(1)),
  body String CODEC(ZSTD(1)),
  attrs_text Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  attrs_int Map(LowCardinality(String), Int64) CODEC(ZSTD(1)),
  attrs_double Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
  attrs_bool Map(LowCardinality(String), Bool) CODEC(ZSTD(1)),
  attrs_list Map(LowCardinality(String), Array(String)) CODEC(ZSTD(1)),
  attrs_other String CODEC(ZSTD(1)),
  time DateTime64(9, 'UTC') ALIAS fromUnixTimestamp64Nano(time_ns, 'UTC'),
  age_ns Int64 ALIAS if(seen_ns = 0, time_ns, seen_ns),
  INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = {{replacing "ver"}}
PARTITION BY toYYYYMM(toDateTime(intDiv(if(seen_ns = 0, time_ns, seen_ns), 1000000000), 'UTC'))
ORDER BY (tenant, task_id, time_ns, record)
{{ttl "record" "if(seen_ns = 0, time_ns, seen_ns)"}}
SETTINGS index_granularity = 2048, {{window}};

-- What the rows of one resource and scope have in common.
CREATE TABLE IF NOT EXISTS {{table "sources"}} (
  tenant LowCardinality(String),
  source UInt64,
  service String,
  service_version String,
  scope String,
  scope_version String,
  attrs_text Map(LowCardinality(String), String),
  resource String,
  age_ns UInt64
) ENGINE = {{replacing "age_ns"}}
ORDER BY (tenant, source)
{{ttl "longest" "age_ns"}}
SETTINGS {{window}};

-- Traces and tasks that rows hang on, and how young the youngest of each is.
-- kind: 0 trace, 1 task.
CREATE TABLE IF NOT EXISTS {{table "run_keys"}} (
  tenant LowCardinality(String),
  kind UInt8,
  key String CODEC(ZSTD(1)),
  latest_span_ns SimpleAggregateFunction(max, Int64),
  latest_record_ns SimpleAggregateFunction(max, Int64)
) ENGINE = {{aggregating}}
ORDER BY (tenant, kind, key)
{{ttl "longest" "greatest(latest_span_ns, latest_record_ns)"}}
SETTINGS index_granularity = 2048, {{window}};

-- Which of them belong together: task ids and links join a run. Both ways.
CREATE TABLE IF NOT EXISTS {{table "run_edges"}} (
  tenant LowCardinality(String),
  kind UInt8,
  key String CODEC(ZSTD(1)),
  to_kind UInt8,
  to_key String CODEC(ZSTD(1)),
  age_ns SimpleAggregateFunction(max, Int64)
) ENGINE = {{aggregating}}
ORDER BY (tenant, kind, key, to_kind, to_key)
{{ttl "longest" "age_ns"}}
SETTINGS index_granularity = 2048, {{window}};

-- The name of the run that a trace or task belongs to, for SQL over runs. A
-- link that joins two runs late gives the keys of one of them a new name.
CREATE TABLE IF NOT EXISTS {{table "run_roots"}} (
  tenant LowCardinality(String),
  kind UInt8,
  key String CODEC(ZSTD(1)),
  root_task_id String CODEC(ZSTD(1)),
  rank UInt8,
  age_ns Int64 CODEC(ZSTD(1)),
  ver UInt64
) ENGINE = {{replacing "ver"}}
ORDER BY (tenant, kind, key)
{{ttl "longest" "age_ns"}}
SETTINGS index_granularity = 2048, {{window}};

-- Facts, as stated; what follows from them is computed on reading. source is
-- the id of the span (8 bytes) or record (16 bytes) that states it; fact is a
-- digest of what it says but for its time, of which the latest stands. Ids that
-- are not stated are empty.
--
-- Decisions and effects are the many. Those that a span states in its attributes
-- are in its row, and nowhere else; event_decisions and event_effects hold those
-- of records and of events inside spans. The views have all.
{{fact "event_decisions"}}
  decision_id String CODEC(ZSTD(1)),
  tool_call_id String CODEC(ZSTD(1)),
  verdict LowCardinality(String),
  decided_by LowCardinality(String),
  scope LowCardinality(String),
  policy_id String CODEC(ZSTD(1)),
  policy_version String CODEC(ZSTD(1)),
  rule_id String CODEC(ZSTD(1)),
  enforced LowCardinality(String),
  raw String CODEC(ZSTD(1))
{{end_fact}};

CREATE VIEW IF NOT EXISTS {{plain_view "decisions"}} AS
SELECT tenant, task_id, trace_id, source, fact, max(f.time_ns) AS time_ns, max(f.seen_ns) AS seen_ns, decision_id, tool_call_id, verdict, decided_by, scope,
  policy_id, policy_version, rule_id, enforced, raw
FROM (
  SELECT tenant, task_id, trace_id, concat(span_id, '') AS source,
    toUInt32(bitAnd(cityHash64(decision_id, tool_call_id, decision, decided_by, decision_scope, policy_id, policy_version, rule_id, enforced, decision_raw), 4294967295)) AS fact,
    toUInt64(greatest(start_ns + duration_ns, 0)) AS time_ns, toUInt64(seen_ns) AS seen_ns, decision_id, tool_call_id, decision AS verdict, decided_by,
    decision_scope AS scope, policy_id, policy_version, rule_id, enforced, decision_raw AS raw
  FROM {{spread "spans"}} WHERE decision IN ('allow', 'deny', 'ask', 'modify', 'abort')
  UNION ALL
  SELECT tenant, task_id, trace_id, source, fact, time_ns, seen_ns, decision_id, tool_call_id, verdict, decided_by, scope, policy_id, policy_version, rule_id, enforced, raw
  FROM {{spread "event_decisions"}}
) AS f
GROUP BY tenant, task_id, trace_id, source, fact, decision_id, tool_call_id, verdict, decided_by, scope, policy_id, policy_version, rule_id, enforced, raw;

{{fact "event_effects"}}
  effect_id String CODEC(ZSTD(1)),
  stage LowCardinality(String),
  attempt Int64 CODEC(ZSTD(1)),
  tool LowCardinality(String),
  tool_call_id String CODEC(ZSTD(1)),
  target String CODEC(ZSTD(1)),
  class LowCardinality(String),
  request_digest String CODEC(ZSTD(1)),
  result_digest String CODEC(ZSTD(1)),
  idempotency_key String CODEC(ZSTD(1)),
  receipt_id String CODEC(ZSTD(1)),
  reported_by LowCardinality(String)
{{end_fact}};

CREATE VIEW IF NOT EXISTS {{plain_view "effects"}} AS
SELECT tenant, task_id, trace_id, source, fact, max(f.time_ns) AS time_ns, max(f.seen_ns) AS seen_ns, effect_id, stage, attempt, tool, tool_call_id, target, class,
  request_digest, result_digest, idempotency_key, receipt_id, reported_by
FROM (
  SELECT tenant, task_id, trace_id, concat(span_id, '') AS source,
    toUInt32(bitAnd(cityHash64(effect_id, effect_stage, ifNull(effect_attempt, 0), tool, tool_call_id, effect_target, effect_class, request_digest, result_digest, idempotency_key, receipt_id,
      reported_by), 4294967295)) AS fact,
    toUInt64(greatest(if(effect_stage IN ('intent', 'dispatched'), start_ns, start_ns + duration_ns), 0)) AS time_ns, toUInt64(seen_ns) AS seen_ns, effect_id,
    CAST(if(effect_stage IN ('intent', 'dispatched', 'acked', 'failed', 'receipt', 'verified', 'compensated'), effect_stage, ''), 'LowCardinality(String)') AS stage,
    greatest(ifNull(effect_attempt, 0), 0) AS attempt, tool, tool_call_id, effect_target AS target, effect_class AS class, request_digest, result_digest, idempotency_key, receipt_id, reported_by
  FROM {{spread "spans"}}
  WHERE effect_id != '' OR effect_stage != '' OR operation = 'execute_tool' AND effect_class IN ('write', 'destructive', 'external', 'unknown')
  UNION ALL
  SELECT tenant, task_id, trace_id, source, fact, time_ns, seen_ns, effect_id, stage, attempt, tool, tool_call_id, target, class, request_digest, result_digest,
    idempotency_key, receipt_id, reported_by
  FROM {{spread "event_effects"}}
) AS f
GROUP BY tenant, task_id, trace_id, source, fact, effect_id, stage, attempt, tool, tool_call_id, target, class, request_digest, result_digest, idempotency_key, receipt_id,
  reported_by;

{{fact "controls"}}
  control_id String,
  kind LowCardinality(String),
  layer LowCardinality(String),
  phase LowCardinality(String)
{{end_fact}};

{{fact "verdicts"}}
  subject_kind LowCardinality(String),
  subject_id String,
  verifier LowCardinality(String),
  version String,
  kind LowCardinality(String),
  verdict LowCardinality(String),
  metric LowCardinality(String),
  score Nullable(Float64),
  scale_min Nullable(Float64),
  scale_max Nullable(Float64),
  gate Bool,
  comparable Bool,
  missing Array(String)
{{end_fact}};

{{fact "claims"}}
  state LowCardinality(String),
  claimed_by String,
  basis Array(String),
  missing Array(String)
{{end_fact}};

{{fact "protocols"}}
  name LowCardinality(String),
  peer String,
  requested LowCardinality(String),
  negotiated LowCardinality(String),
  degraded Array(String),
  external_task String,
  external_state LowCardinality(String),
  error_layer LowCardinality(String),
  failed Bool
{{end_fact}};

{{fact "extensions"}}
  kind LowCardinality(String),
  id String,
  version String,
  hash String,
  origin String,
  scope LowCardinality(String),
  decision LowCardinality(String),
  guard Bool,
  fail_policy LowCardinality(String),
  tool_call_id String
{{end_fact}};

-- Rows that were refused, with the reason; body is what could be encoded.
CREATE TABLE IF NOT EXISTS {{table "quarantine"}} (
  tenant String,
  kind LowCardinality(String),
  trace_id FixedString(16),
  id String,
  digest FixedString(16),
  reason String,
  body String CODEC(ZSTD(1)),
  seen_ns Int64,
  ver UInt64
) ENGINE = {{replacing "ver"}}
ORDER BY (tenant, kind, trace_id, id, digest)
{{ttl "evidence" "seen_ns"}}
SETTINGS {{window}};

-- Every deletion of old rows; a batch sent again after one is a new batch.
CREATE TABLE IF NOT EXISTS {{table "prunings"}} (
  evidence_before_ns Int64,
  records_before_ns Int64,
  rows Int64,
  at_ns Int64
) ENGINE = {{plain}}
ORDER BY at_ns
SETTINGS {{window}};
