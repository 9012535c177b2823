-- What runs are searched by, beside the ids that run_keys has: sessions, tool
-- calls, artifacts, agents, tools. A hash leads to the keys whose rows stated the
-- text; a reader looks whether they still do. Rows from before this migration are
-- not in it.
CREATE TABLE terms (
  term INTEGER NOT NULL, -- first eight bytes of SHA-256 over kind, a zero byte and text
  key  INTEGER NOT NULL, -- run_keys.id
  PRIMARY KEY (term, key)
) STRICT, WITHOUT ROWID;
