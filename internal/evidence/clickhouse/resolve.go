package clickhouse

import (
	"context"
	"fmt"
	"strings"
)

// resolve gives every row its root and returns what the store has to learn of
// roots. Where the batch joins runs that had different names, all their keys
// get the better one, also those that no row of the batch names.
func (w *Writer) resolve(ctx context.Context, r *rows) ([]rootRow, error) {
	if err := w.c.knownRoots(ctx, r.keys); err != nil {
		return nil, err
	}
	var out []rootRow
	ver := uint64(r.now)
	for _, group := range r.keys.groups() {
		late := name(group)
		for _, k := range group {
			if !k.known || k.knownRoot != k.root || k.knownRank != k.rootRank {
				out = append(out, rootRow{k.name, k.root, k.rootRank, max(k.age, 0), rootVer(ver, k.rootRank)})
			}
		}
		if late {
			more, err := w.c.renamed(ctx, group, ver)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	for _, row := range r.spans {
		row.root = row.key.root
	}
	for _, row := range r.records {
		if row.key != nil {
			row.root = row.key.root
		}
	}
	return out, nil
}

// rootVer makes the better name win between two collectors that store at the
// same time: the version counts the rank first, then time.
func rootVer(now uint64, rank uint8) uint64 { return uint64(rankTrace-rank)<<62 | now>>2 }

// maxList is about how many bytes of keys one query may name; the server's limit
// for a whole query is 256 KiB.
const maxList = 150_000

// lists cuts texts into comma separated lists that a query can hold.
func lists(texts []string) []string {
	var out []string
	var b strings.Builder
	for _, t := range texts {
		if b.Len() > 0 && b.Len()+len(t) > maxList {
			out = append(out, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(t)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// shortLiterals are keys of any kind as SQL. What was no text becomes bytes that a
// query can hold: they are read faster than their numbers, of which there are
// four bytes for each.
func shortLiterals(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		b := make([]byte, 0, len(k)+8)
		b = append(b, '\'')
		for j := range len(k) {
			switch c := k[j]; c {
			case '\\', '\'':
				b = append(b, '\\', c)
			case 0:
				b = append(b, '\\', '0')
			default:
				b = append(b, c)
			}
		}
		out[i] = string(append(b, '\''))
	}
	return out
}

// knownRoots notes what the store knows of the keys.
func (c *client) knownRoots(ctx context.Context, s *keySet) error {
	keys := map[string][]string{} // by tenant
	for _, k := range s.all {
		keys[k.name.tenant] = append(keys[k.name.tenant], k.name.key)
	}
	for tenant, names := range keys {
		for _, list := range lists(shortLiterals(names)) {
			query := fmt.Sprintf("SELECT kind, key, root_task_id, rank, ver FROM %s WHERE tenant = %s AND kind IN (%d, %d) AND key IN (%s)",
				c.layout.spread("run_roots"), literal(tenant), keyTrace, keyTask, list)
			err := c.each(ctx, query, func(scan func(...any) error) error {
				var key, root string
				var kind, rank uint8
				var ver uint64
				if err := scan(&kind, &key, &root, &rank, &ver); err != nil {
					return err
				}
				if k := s.rows[keyName{tenant, kind, key}]; k != nil && (!k.known || k.knownVer < ver) {
					k.known, k.knownRoot, k.knownRank, k.knownVer = true, root, rank, ver
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// renamed returns the rows that name anew all keys of the runs which a group
// joins, found by their edges. All keys of the group have the same root already.
func (c *client) renamed(ctx context.Context, group []*keyRow, ver uint64) ([]rootRow, error) {
	var seeds []keyName
	inGroup := map[keyName]bool{}
	for _, k := range group {
		inGroup[k.name] = true
		if k.known {
			seeds = append(seeds, k.name)
		}
	}
	walk, err := c.walk(ctx, group[0].name.tenant, seeds)
	if err != nil {
		return nil, err
	}
	var out []rootRow
	for key, age := range walk.age {
		if !inGroup[key] {
			out = append(out, rootRow{key, group[0].root, group[0].rootRank, age, rootVer(ver, group[0].rootRank)})
		}
	}
	return out, nil
}
