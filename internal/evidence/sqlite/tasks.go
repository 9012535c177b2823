package sqlite

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// taskStatement is what a span says of its task.
type taskStatement struct {
	parent, root, goal, agent, harness, harnessVersion string
	attempts                                           int64
}

// taskRows holds what one batch says of tasks, each statement once.
type taskRows struct {
	said map[int64]map[taskStatement]bool // by key
	ids  map[int64]string
	// order of the statements, so that equal batches write equally
	keys       []int64
	statements []taskStatement
}

func (r *taskRows) add(keys *keySet, sp *evidence.Span) {
	id := string(sp.Task())
	if id == "" {
		return
	}
	attempts, _ := sp.Attrs.Int(semconv.AppTaskAttempt)
	s := taskStatement{
		parent:         sp.Attrs.Str(semconv.AppTaskParentID),
		root:           sp.Attrs.Str(semconv.AppTaskRootID),
		goal:           sp.Attrs.Str(semconv.AppTaskGoalDigest),
		agent:          sp.Attrs.Str(semconv.GenAIAgentName),
		harness:        sp.Attrs.Str(semconv.AppHarnessName),
		harnessVersion: sp.Attrs.Str(semconv.AppHarnessVersion),
		attempts:       max(attempts, 1),
	}
	// A merged span may name a task that this batch does not.
	row := keys.rows[keyName{keyTask, id, sp.Tenant}]
	if row == nil {
		return
	}
	if r.said == nil {
		r.said, r.ids = map[int64]map[taskStatement]bool{}, map[int64]string{}
	}
	if r.said[row.id] == nil {
		r.said[row.id], r.ids[row.id] = map[taskStatement]bool{}, id
	}
	if !r.said[row.id][s] {
		r.said[row.id][s] = true
		r.keys, r.statements = append(r.keys, row.id), append(r.statements, s)
	}
}

// Every column keeps the first value in byte order, which does not depend on
// which statement came first.
const upsertTask = `INSERT INTO tasks AS t (key, task_id, parent_id, root_id, goal_digest, agent, harness, harness_version, attempts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
  parent_id       = min(coalesce(t.parent_id, excluded.parent_id), coalesce(excluded.parent_id, t.parent_id)),
  root_id         = min(coalesce(t.root_id, excluded.root_id), coalesce(excluded.root_id, t.root_id)),
  goal_digest     = min(coalesce(t.goal_digest, excluded.goal_digest), coalesce(excluded.goal_digest, t.goal_digest)),
  agent           = min(coalesce(t.agent, excluded.agent), coalesce(excluded.agent, t.agent)),
  harness         = min(coalesce(t.harness, excluded.harness), coalesce(excluded.harness, t.harness)),
  harness_version = min(coalesce(t.harness_version, excluded.harness_version), coalesce(excluded.harness_version, t.harness_version)),
  attempts        = max(t.attempts, excluded.attempts)`

func (r *taskRows) flush(c *connection) error {
	for i, s := range r.statements {
		_, err := c.exec(upsertTask, r.keys[i], r.ids[r.keys[i]], textOrNull(s.parent), textOrNull(s.root), textOrNull(s.goal),
			textOrNull(s.agent), textOrNull(s.harness), textOrNull(s.harnessVersion), s.attempts)
		if err != nil {
			return err
		}
	}
	return nil
}
