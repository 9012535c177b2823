package clickhouse

import (
	"context"
	"fmt"
	"sort"
)

// walk is a set of keys with all that their edges lead to.
type walk struct {
	age   map[keyName]int64 // of the youngest row that speaks of the key
	above map[keyName]keyName
}

func (w *walk) top(k keyName) keyName {
	for w.above[k] != k {
		w.above[k] = w.above[w.above[k]]
		k = w.above[k]
	}
	return k
}

func (w *walk) add(k keyName, age int64) (fresh bool) {
	before, there := w.age[k]
	if !there {
		w.above[k] = k
	}
	w.age[k] = max(before, age)
	return !there
}

// groups returns the keys that belong together, by a key that stands for them.
func (w *walk) groups() map[keyName][]keyName {
	out := map[keyName][]keyName{}
	for k := range w.age {
		top := w.top(k)
		out[top] = append(out[top], k)
	}
	for _, keys := range out {
		sort.Slice(keys, func(i, j int) bool { return keys[i].compare(keys[j]) < 0 })
	}
	return out
}

// walk follows edges from keys of one tenant until there is nothing new: as many
// steps as the longest chain has, whatever circles there are.
func (c *client) walk(ctx context.Context, tenant string, seeds []keyName) (*walk, error) {
	w := &walk{age: map[keyName]int64{}, above: map[keyName]keyName{}}
	var next []keyName
	for _, k := range seeds {
		if w.add(k, 0) {
			next = append(next, k)
		}
	}
	for len(next) > 0 {
		names := make([]string, len(next))
		for i, k := range next {
			names[i] = literal(k.key)
		}
		next = nil
		for _, list := range lists(names) {
			// Both kinds at once: a key that is of the other kind too is passed over.
			query := fmt.Sprintf("SELECT kind, key, to_kind, to_key, age_ns FROM %s WHERE tenant = %s AND kind IN (%d, %d) AND key IN (%s)",
				c.layout.spread("run_edges"), literal(tenant), keyTrace, keyTask, list)
			err := c.each(ctx, query, func(scan func(...any) error) error {
				from, to := keyName{tenant: tenant}, keyName{tenant: tenant}
				var age int64
				if err := scan(&from.kind, &from.key, &to.kind, &to.key, &age); err != nil {
					return err
				}
				if _, asked := w.age[from]; !asked {
					return nil
				}
				w.add(from, age)
				if w.add(to, age) {
					next = append(next, to)
				}
				if a, b := w.top(from), w.top(to); a != b {
					w.above[b] = a
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}
