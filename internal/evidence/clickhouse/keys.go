package clickhouse

import (
	"cmp"
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Kinds of keys.
const (
	keyTrace uint8 = 0
	keyTask  uint8 = 1
)

// keyName names a key: a trace by its 16 bytes, a task by its id.
type keyName struct {
	tenant string
	kind   uint8
	key    string
}

// text is a key as a run's name.
func (k keyName) text() string {
	if k.kind == keyTask {
		return k.key
	}
	return taskOfTrace(evidence.TraceID([]byte(k.key)))
}

// keyRow is what a batch says of a key.
type keyRow struct {
	name         keyName
	span, record int64 // age of the youngest row, noAge if there is none
	age          int64 // age of the youngest row that names it at all
	rank         uint8
	above        *keyRow
	root         string // of the group, filled by resolve
	rootRank     uint8
	known        bool   // the store has a root for it
	knownRoot    string // which
	knownRank    uint8
	knownVer     uint64
}

const noAge = math.MinInt64

// How good a name for a run a key is: what is called a root beats a parent, a
// parent a task, a task a trace.
const (
	rankRoot uint8 = iota
	rankParent
	rankTask
	rankTrace
)

// hour is how exactly the store remembers how long keys and edges are needed.
const hour = int64(3600 * 1e9)

// upToHour rounds an age up, so that nothing that speaks of a row goes before it.
func upToHour(age int64) int64 {
	if age > math.MaxInt64-hour {
		return age
	}
	return max(age-age%hour, 0) + hour
}

// edge joins two keys of one tenant.
type edge struct{ a, b *keyRow }

// keySet holds the keys of one batch and which of them belong together.
type keySet struct {
	rows  map[keyName]*keyRow
	all   []*keyRow
	edges map[edge]int64 // with the age of the youngest row that says so

	// What the row before named is often what the next one names.
	lastTrace   *keyRow
	lastTraceID evidence.TraceID
	lastTask    *keyRow
	lastTaskID  string
	lastEdge    edge
	lastAge     int64
}

func newKeySet() *keySet { return &keySet{rows: map[keyName]*keyRow{}, edges: map[edge]int64{}} }

func (s *keySet) get(tenant string, kind uint8, key string, age int64, rank uint8) *keyRow {
	name := keyName{tenant, kind, key}
	r := s.rows[name]
	if r == nil {
		r = &keyRow{name: name, span: noAge, record: noAge, age: noAge, rank: rank}
		s.rows[name] = r
		s.all = append(s.all, r)
	}
	r.age, r.rank = max(r.age, age), min(r.rank, rank)
	return r
}

// top returns the key that stands for all that were joined with r.
func (r *keyRow) top() *keyRow {
	for r.above != nil {
		if r.above.above != nil {
			r.above = r.above.above
		}
		r = r.above
	}
	return r
}

func (s *keySet) join(a, b *keyRow, age int64) {
	e := edge{a, b}
	if a == b || e == s.lastEdge && age <= s.lastAge {
		return
	}
	s.lastEdge, s.lastAge = e, age
	if before, ok := s.edges[e]; !ok || before < age {
		s.edges[e] = age
	}
	if a, b = a.top(), b.top(); a != b {
		b.above = a
	}
}

// span notes the key of a span and what the span says belongs to it. A link that
// only says which turn came before joins nothing.
func (s *keySet) span(row *spanRow) *keyRow {
	sp, age := &row.span, row.age
	r := s.trace(sp.Tenant, sp.ID.Trace, age)
	r.span = max(r.span, age)
	s.tasks(r, row.tasks, sp.Tenant, age)
	for i := range sp.Links {
		l := &sp.Links[i]
		if l.Relation != semconv.AppLinkRelationFollows && l.To.Trace != (evidence.TraceID{}) {
			s.join(r, s.get(sp.Tenant, keyTrace, string(l.To.Trace[:]), age, rankTrace), age)
		}
	}
	return r
}

func (s *keySet) trace(tenant string, id evidence.TraceID, age int64) *keyRow {
	if r := s.lastTrace; r != nil && s.lastTraceID == id && r.name.tenant == tenant {
		r.age = max(r.age, age)
		return r
	}
	r := s.get(tenant, keyTrace, string(id[:]), age, rankTrace)
	s.lastTrace, s.lastTraceID = r, id
	return r
}

// record notes the key of a record: its trace, else its task, else none.
func (s *keySet) record(rec *evidence.Record, age int64) *keyRow {
	var r *keyRow
	if rec.Step.Trace != (evidence.TraceID{}) {
		r = s.trace(rec.Tenant, rec.Step.Trace, age)
	}
	var tasks [len(taskKeys)]string
	for i, key := range taskKeys {
		tasks[i] = rec.Attrs.Str(key)
	}
	if r = s.tasks(r, tasks, rec.Tenant, age); r != nil {
		r.record = max(r.record, age)
	}
	return r
}

// tasks joins r with the task, parent and root that a row names and returns r,
// or the first of them if r is nil.
func (s *keySet) tasks(r *keyRow, ids [len(taskKeys)]string, tenant string, age int64) *keyRow {
	for i, id := range ids {
		if id == "" {
			continue
		}
		task := s.lastTask
		if i != 0 || task == nil || s.lastTaskID != id || task.name.tenant != tenant {
			task = s.get(tenant, keyTask, clipped(id), age, [...]uint8{rankTask, rankParent, rankRoot}[i])
			if i == 0 {
				s.lastTask, s.lastTaskID = task, id
			}
		}
		task.age = max(task.age, age)
		if r == nil {
			r = task
		}
		s.join(r, task, age)
	}
	return r
}

// groups returns the keys that belong together, in order of first use.
func (s *keySet) groups() [][]*keyRow {
	places := map[*keyRow]int{}
	var out [][]*keyRow
	for _, r := range s.all {
		top := r.top()
		at, ok := places[top]
		if !ok {
			at = len(out)
			places[top] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], r)
	}
	return out
}

// better reports whether a names a run rather than b: by rank, then by order.
func better(rankA uint8, a string, rankB uint8, b string) bool {
	return rankA < rankB || rankA == rankB && a < b
}

// name gives all keys of a group one root: the best of their own names and of
// those that the store knows. late reports whether the store has to give some
// of its keys another one.
func name(group []*keyRow) (late bool) {
	rank, root := group[0].rank, group[0].name.text()
	for _, r := range group {
		if text := r.name.text(); better(r.rank, text, rank, root) {
			rank, root = r.rank, text
		}
		if r.known && better(r.knownRank, r.knownRoot, rank, root) {
			rank, root = r.knownRank, r.knownRoot
		}
	}
	for _, r := range group {
		r.root, r.rootRank = root, rank
		late = late || r.known && r.knownRoot != root
	}
	return late
}

// sorted returns edges in a fixed order, so that equal batches write equally.
func (s *keySet) sorted() []edge {
	out := make([]edge, 0, len(s.edges))
	for e := range s.edges {
		out = append(out, e)
	}
	slices.SortFunc(out, func(x, y edge) int {
		return cmp.Or(x.a.name.compare(y.a.name), x.b.name.compare(y.b.name))
	})
	return out
}

func (k keyName) compare(o keyName) int {
	return cmp.Or(cmp.Compare(k.tenant, o.tenant), cmp.Compare(k.kind, o.kind), cmp.Compare(k.key, o.key))
}
