-- What spans are searched by beside their ids: a granule without the text is not
-- read. Artifacts have no column of their own, and the map is read for them.
-- Parts from before this migration are read whole until they are merged.
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_session (session_id, conversation_id) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_tool_call tool_call_id TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_agent (agent, harness) TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{table "spans"}} ADD INDEX IF NOT EXISTS by_tool tool TYPE bloom_filter(0.001) GRANULARITY 1;
