package clickhouse

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// runVersion tells which rows a run has: how many, and a sum over hashes of what they
// are, so that the order in which they are read does not matter.
type runVersion struct {
	rows, sum uint64
	counted   bool // false of runs with more keys than one query can name
}

func (v runVersion) name() evidence.Version {
	return evidence.Version(fmt.Sprintf("%x-%x", v.rows, v.sum))
}

func (v *runVersion) add(parts ...any) {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, parts...)
	v.sum += h.Sum64()
}

// selectVersions counts the rows of tasks and the links of traces. Rows that are there
// twice count once, so that merging parts makes no new version.
const selectVersions = `SELECT 'spans' AS of, task_id AS name, uniqExact(statement) AS rows, sumDistinct(statement) AS sum FROM %[1]s WHERE tenant = %[4]s AND task_id IN (%[5]s) GROUP BY task_id
  UNION ALL SELECT 'events', task_id, uniqExact(record), sumDistinct(reinterpretAsUInt64(record)) FROM %[2]s WHERE tenant = %[4]s AND task_id IN (%[5]s) GROUP BY task_id
  UNION ALL SELECT 'links', CAST(trace_id AS String), uniqExact(statement, n), sumDistinct(statement + n) FROM %[3]s WHERE tenant = %[4]s AND trace_id IN (%[6]s) GROUP BY trace_id`

// tally counts the rows of one table as selectVersions does, while they are read: by
// task or trace, each once.
type tally map[string]*distinct

// distinct tells rows apart by two numbers, of which the first ones are summed.
type distinct struct {
	rows map[[2]uint64]bool
	ids  map[uint64]bool
}

func (t tally) add(name string, id, rest uint64) {
	d := t[name]
	if d == nil {
		d = &distinct{map[[2]uint64]bool{}, map[uint64]bool{}}
		t[name] = d
	}
	d.rows[[2]uint64{id, rest}], d.ids[id] = true, true
}

// versionsOf are the versions of runs whose rows were counted, by table.
func versionsOf(groups [][]keyName, in *membership, tallies map[string]tally) []runVersion {
	out := make([]runVersion, len(groups))
	for i, keys := range groups {
		out[i].counted = true
		for _, k := range keys {
			out[i].add(k.kind, k.key)
		}
	}
	for of, t := range tallies {
		for name, d := range t {
			i, ok := in.runs[name]
			if of == "links" {
				i, ok = in.traces[evidence.TraceID([]byte(name))]
			}
			if !ok {
				continue
			}
			sum := uint64(0)
			for id := range d.ids {
				sum += id
			}
			out[i].rows += uint64(len(d.rows))
			out[i].add(of, name, uint64(len(d.rows)), sum)
		}
	}
	return out
}

// versions are those of some runs.
func (r *Reader) versions(ctx context.Context, runs []*listed) ([]runVersion, error) {
	out := make([]runVersion, len(runs))
	byTenant := map[string][]int{}
	for i, l := range runs {
		byTenant[l.tenant] = append(byTenant[l.tenant], i)
		for _, k := range l.keys {
			out[i].add(k.kind, k.key)
		}
	}
	for tenant, which := range byTenant {
		tasks, traces := map[string]int{}, map[string]int{}
		var names, ids []string
		for _, i := range which {
			for _, k := range runs[i].keys {
				tasks[k.text()] = i
				names = append(names, literal(k.text()))
				if k.kind == keyTrace {
					traces[k.key] = i
					ids = append(ids, literal(k.key))
				}
			}
		}
		if len(ids) == 0 {
			ids = append(ids, "''")
		}
		in, inTraces := strings.Join(names, ","), strings.Join(ids, ",")
		if 2*len(in)+len(inTraces) > maxList {
			continue // their rows are read
		}
		for _, i := range which {
			out[i].counted = true
		}
		err := r.c.each(ctx, fmt.Sprintf(selectVersions, r.c.layout.spread("spans"), r.c.layout.spread("events"), r.c.layout.spread("links"),
			literal(tenant), in, inTraces), func(scan func(...any) error) error {
			var of, name string
			var rows, sum uint64
			if err := scan(&of, &name, &rows, &sum); err != nil {
				return err
			}
			i, ok := tasks[name]
			if of == "links" {
				i, ok = traces[name]
			}
			if ok {
				out[i].rows += rows
				out[i].add(of, name, rows, sum)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
