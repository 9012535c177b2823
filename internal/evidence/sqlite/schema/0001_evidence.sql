-- Evidence of agent runs. Times are Unix nanoseconds, ids are blobs.
--
-- A row hangs on a key: the trace it belongs to, or, for a record without trace
-- context, the task it names. Keys that a task id or a span link joins have one
-- run; joining two runs re-points the keys of the smaller one.
--
-- attrs, events, body and resource are encoded as codec.go says. A column
-- declared ANY holds an integer (a row of names) or the text itself.
-- "seen" is filled only where a row's own time cannot be true (zero, or far
-- ahead of the clock) and then stands for its age.

CREATE TABLE names (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind   INTEGER NOT NULL, -- 0 attribute key, 1 value
  name   TEXT    NOT NULL,
  latest INTEGER NOT NULL, -- no row that uses it is younger
  UNIQUE (kind, name)
) STRICT;

-- What the rows of one resource and scope have in common.
CREATE TABLE sources (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  digest          BLOB    NOT NULL UNIQUE,
  tenant          TEXT    NOT NULL,
  service         TEXT,
  service_version TEXT,
  scope           TEXT,
  scope_version   TEXT,
  resource        BLOB,
  latest          INTEGER NOT NULL
) STRICT;

CREATE TABLE runs (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT    NOT NULL,
  size   INTEGER NOT NULL, -- keys
  latest INTEGER           -- latest row of any key, null while there is none
) STRICT;
CREATE INDEX runs_latest ON runs (latest) WHERE latest IS NOT NULL;
CREATE INDEX runs_tenant_latest ON runs (tenant, latest) WHERE latest IS NOT NULL;

CREATE TABLE run_keys (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind   INTEGER NOT NULL, -- 0 trace, 1 task
  key    BLOB    NOT NULL, -- trace id or the task id's bytes
  tenant TEXT    NOT NULL,
  run    INTEGER NOT NULL,
  oldest INTEGER,          -- oldest span or fact, null if there is none
  latest INTEGER,          -- latest span or event, null if there is none
  UNIQUE (kind, key, tenant)
) STRICT;
CREATE INDEX run_keys_run ON run_keys (run);
CREATE INDEX run_keys_oldest ON run_keys (oldest) WHERE oldest IS NOT NULL;

-- What is stated of a task. Of several statements the first in byte order
-- stands, so that the order of arrival does not matter.
CREATE TABLE tasks (
  key             INTEGER PRIMARY KEY, -- run_keys.id
  task_id         TEXT NOT NULL,
  parent_id       TEXT,
  root_id         TEXT,
  goal_digest     TEXT,
  agent           TEXT,
  harness         TEXT,
  harness_version TEXT,
  attempts        INTEGER NOT NULL
) STRICT;

CREATE TABLE spans (
  key            INTEGER NOT NULL, -- run_keys.id of the trace
  span_id        BLOB    NOT NULL,
  parent_id      BLOB,
  source         INTEGER NOT NULL, -- sources.id
  name           ANY     NOT NULL,
  kind           INTEGER NOT NULL, -- 0 none, 1 internal, 2 server, 3 client, 4 producer, 5 consumer
  start_ns       INTEGER NOT NULL,
  end_ns         INTEGER NOT NULL,
  status         INTEGER NOT NULL, -- 0 unset, 1 ok, 2 error
  status_message TEXT,
  trace_state    TEXT,
  task_id        TEXT,             -- app.task.id
  operation      ANY,              -- gen_ai.operation.name
  agent          ANY,              -- gen_ai.agent.name
  tool           ANY,              -- gen_ai.tool.name
  attrs          BLOB,             -- all other attributes
  events         BLOB,             -- the span's own events
  links          INTEGER NOT NULL, -- rows of links
  facts          INTEGER NOT NULL, -- rows of the fact tables
  seen           INTEGER,
  UNIQUE (key, span_id)
) STRICT;

CREATE TABLE links (
  key         INTEGER NOT NULL,
  span_id     BLOB    NOT NULL,
  n           INTEGER NOT NULL, -- place in the span
  to_trace    BLOB    NOT NULL,
  to_span     BLOB    NOT NULL,
  relation    ANY     NOT NULL,
  trace_state TEXT,
  attrs       BLOB,
  PRIMARY KEY (key, span_id, n)
) STRICT, WITHOUT ROWID;
-- The way back: who links to this span or trace.
CREATE INDEX links_rev ON links (to_trace, to_span);

-- Log records. One index serves identity, listing by time and retention.
CREATE TABLE events (
  time_ns     INTEGER NOT NULL,
  record      BLOB    NOT NULL, -- digest of what it says
  key         INTEGER,          -- run_keys.id, null without trace and task
  span_id     BLOB,
  source      INTEGER NOT NULL,
  observed_ns INTEGER NOT NULL,
  event       ANY,
  severity    ANY,
  body        BLOB,
  attrs       BLOB,
  seen        INTEGER,
  UNIQUE (time_ns, record)
) STRICT;
CREATE INDEX events_key ON events (key) WHERE key IS NOT NULL;
CREATE INDEX events_seen ON events (seen) WHERE seen IS NOT NULL;

-- Facts, as stated; what follows from them is computed on reading. source is
-- the id of the span (8 bytes) or record (16 bytes) that states it, key is 0
-- for a record without trace and task.
CREATE TABLE decisions (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  decision_id TEXT, tool_call_id TEXT, verdict TEXT, decided_by TEXT, scope TEXT,
  policy_id TEXT, policy_version TEXT, rule_id TEXT, enforced TEXT, raw TEXT,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  effect_id TEXT, stage TEXT, attempt INTEGER, tool TEXT, tool_call_id TEXT, target TEXT, class TEXT,
  request_digest TEXT, result_digest TEXT, idempotency_key TEXT, receipt_id TEXT, reported_by TEXT,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE controls (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  control_id TEXT, kind TEXT, layer TEXT, phase TEXT,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  subject_kind TEXT, subject_id TEXT, verifier TEXT, version TEXT, kind TEXT, verdict TEXT, metric TEXT,
  score REAL, scale_min REAL, scale_max REAL, gate INTEGER, comparable INTEGER, missing BLOB,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  state TEXT, claimed_by TEXT, basis BLOB, missing BLOB,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE protocols (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  name TEXT, peer TEXT, requested TEXT, negotiated TEXT, degraded BLOB,
  external_task TEXT, external_state TEXT, error_layer TEXT, failed INTEGER,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE extensions (
  key INTEGER NOT NULL, source BLOB NOT NULL, n INTEGER NOT NULL, time_ns INTEGER NOT NULL, task_id TEXT,
  kind TEXT, id TEXT, version TEXT, hash TEXT, origin TEXT, scope TEXT, decision TEXT,
  guard INTEGER, fail_policy TEXT, tool_call_id TEXT,
  PRIMARY KEY (key, source, n)
) STRICT, WITHOUT ROWID;

-- Rows the store refused, with the reason; body is what could be encoded.
CREATE TABLE quarantine (
  tenant TEXT    NOT NULL,
  kind   TEXT    NOT NULL, -- span, record
  trace  BLOB    NOT NULL,
  id     BLOB    NOT NULL, -- span id or record digest
  digest BLOB    NOT NULL, -- of reason and body: two rows without ids are two rows
  reason TEXT    NOT NULL,
  body   BLOB,
  seen   INTEGER,          -- when it was refused, null without a clock
  PRIMARY KEY (tenant, kind, trace, id, digest)
) STRICT, WITHOUT ROWID;

-- Signed heads of the log over the rows; nothing writes here yet.
CREATE TABLE checkpoints (
  size      INTEGER PRIMARY KEY, -- leaves covered
  root      BLOB    NOT NULL,
  origin    TEXT    NOT NULL,
  signature BLOB    NOT NULL,
  made      INTEGER NOT NULL
) STRICT;

-- For people with an SQL prompt: one row a span, names spelled out.
CREATE VIEW steps AS
SELECT k.tenant, k.run, lower(hex(k.key)) AS trace_id, lower(hex(s.span_id)) AS span_id, lower(hex(s.parent_id)) AS parent_id,
       CASE typeof(s.name) WHEN 'integer' THEN (SELECT name FROM names WHERE id = s.name) ELSE s.name END AS name,
       s.start_ns, s.end_ns, s.status, src.service, s.task_id,
       CASE typeof(s.operation) WHEN 'integer' THEN (SELECT name FROM names WHERE id = s.operation) ELSE s.operation END AS operation,
       CASE typeof(s.agent) WHEN 'integer' THEN (SELECT name FROM names WHERE id = s.agent) ELSE s.agent END AS agent,
       CASE typeof(s.tool) WHEN 'integer' THEN (SELECT name FROM names WHERE id = s.tool) ELSE s.tool END AS tool
FROM spans s JOIN run_keys k ON k.id = s.key JOIN sources src ON src.id = s.source;
