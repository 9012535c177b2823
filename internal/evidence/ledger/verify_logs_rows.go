package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// rowKey is enough of a digest to tell rows apart.
type rowKey [16]byte

func keyOf(d Digest) rowKey { return rowKey(d[:16]) }

// rowSet is the rows that are there, by their digests, and what is known of each.
type rowSet struct {
	keys                           []rowKey
	covered, unproven, other, told leafSet
	broken                         []rowName
}

func (s *rowSet) find(k rowKey) (int64, bool) {
	at, ok := slices.BinarySearchFunc(s.keys, k, func(a, b rowKey) int { return bytes.Compare(a[:], b[:]) })
	return int64(at), ok
}

// alone reports whether no leaf at all is of a row.
func (s *rowSet) alone(at int64) bool {
	return !s.covered.has(at) && !s.unproven.has(at) && !s.other.has(at)
}

// missingRow is a row that is gone without an explanation.
type missingRow struct {
	log    *oneLog
	number int64
	leaf   Leaf
}

func (v *logsVerification) bodies(ctx context.Context) error {
	err := v.src.Bodies(ctx, func(b Body) error {
		if b.Broken {
			v.rows.broken = append(v.rows.broken, rowName{b.Kind, b.ID})
		} else {
			v.rows.keys = append(v.rows.keys, keyOf(b.Content))
		}
		return nil
	})
	slices.SortFunc(v.rows.keys, func(a, b rowKey) int { return bytes.Compare(a[:], b[:]) })
	v.rows.keys = slices.Compact(v.rows.keys)
	return err
}

// leaves yields the leaves of a log that its checkpoints placed, up to a size.
func (v *logsVerification) leaves(ctx context.Context, origin string, from, to int64, yield func(number int64, l *Leaf)) error {
	err := v.src.Heads(ctx, origin, from, func(h Head, c Chunk) error {
		if h.Size > to {
			return errStop
		}
		number := from
		for run := c.Leaves; len(run) > 0; number++ {
			leaf, rest, err := ReadLeaf(run)
			if err != nil {
				break // found already
			}
			yield(number, &leaf)
			run = rest
		}
		from = h.Size
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// account looks for the row of every leaf, and for what explains that it is gone.
func (v *logsVerification) account(ctx context.Context) error {
	v.missing, v.expired = map[rowKey]*missingRow{}, map[rowKey]bool{}
	for _, l := range v.logs {
		err := v.leaves(ctx, l.report.Origin, 0, l.size, func(number int64, leaf *Leaf) {
			if leaf.Kind != Note {
				v.accountLeaf(l, number, leaf)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *logsVerification) accountLeaf(l *oneLog, number int64, leaf *Leaf) {
	key := keyOf(leaf.Content)
	at, there := v.rows.find(key)
	proven := number < l.proven
	switch {
	case there && !proven:
		v.rows.unproven.set(at)
	case there && v.rows.covered.set(at):
		v.report.Repeated++
	case there:
		v.report.Present++
	case !proven:
	case v.forgotten(l.report.Origin, number, leaf):
		v.report.Erased++
	case v.old(leaf):
		v.report.Retained++
		if leaf.Arrival {
			v.expired[key] = true
		}
	case v.missing[key] == nil:
		v.missing[key] = &missingRow{l, number, *leaf}
	}
}

// rest tells of rows that no leaf is of, and of leaves whose row is gone.
func (v *logsVerification) rest(ctx context.Context) error {
	if err := v.recent(ctx); err != nil {
		return err
	}
	lost := map[rowName]rowKey{}
	for key, m := range v.missing {
		if v.expired[key] {
			delete(v.missing, key)
		} else if name := (rowName{m.leaf.Kind, m.leaf.ID}); v.missing[lost[name]] == nil || m.number < v.missing[lost[name]].number {
			lost[name] = key
		}
	}
	if err := v.unmatched(ctx, lost); err != nil {
		return err
	}
	for _, m := range v.missing {
		v.found.add(Finding{Log: m.log.report.Origin, Leaf: m.number, Row: m.leaf.Name(), Problem: Removed})
	}
	return nil
}

// recent takes in what was announced and not settled, and what was settled while
// this looked at the rows.
func (v *logsVerification) recent(ctx context.Context) error {
	sizes := map[string]*oneLog{}
	for _, l := range v.logs {
		sizes[l.report.Origin] = l
	}
	other := func(leaf *Leaf) bool {
		at, there := v.rows.find(keyOf(leaf.Content))
		return there && !v.rows.other.set(at) && !v.rows.covered.has(at)
	}
	err := v.src.Announced(ctx, func(origin string, c Chunk) error {
		known := Announced(origin, c.Number, c.Leaves, c.Note, v.q.Keys)
		for run := c.Leaves; known && len(run) > 0; {
			leaf, rest, err := ReadLeaf(run)
			if err != nil {
				break
			}
			run = rest
			if l := sizes[origin]; l != nil {
				l.report.Announced++
			} else {
				v.report.Announced++
			}
			if leaf.Kind != Note && other(&leaf) {
				v.report.Unsettled++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	origins, err := v.src.Origins(ctx)
	for _, origin := range origins {
		from := int64(0)
		if l := sizes[origin]; l != nil {
			from = l.size
		}
		if err == nil {
			err = v.leaves(ctx, origin, from, 1<<62, func(_ int64, leaf *Leaf) { other(leaf) })
		}
	}
	return err
}

// unmatched names the rows that no leaf is of: one that a lost row has the name
// of was changed.
func (v *logsVerification) unmatched(ctx context.Context, lost map[rowName]rowKey) error {
	alone := int64(0)
	for at := range v.rows.keys {
		switch {
		case v.rows.alone(int64(at)):
			alone++
		case v.rows.unproven.has(int64(at)) && !v.rows.covered.has(int64(at)):
			v.report.Unproven++
		}
	}
	take := func(name rowName) {
		if m := v.missing[lost[name]]; m != nil {
			v.found.add(Finding{Log: m.log.report.Origin, Leaf: m.number, Row: m.leaf.Name(), Problem: Changed})
			delete(v.missing, lost[name])
			return
		}
		row := Name(name.kind, name.id)
		if v.report.Unlogged++; v.report.Unlogged == 1 {
			v.report.Unsigned = row
		}
		if v.report.Unlogged > v.unlogged {
			v.found.add(Finding{Leaf: None, Row: row, Problem: Uncovered, Detail: fmt.Sprintf("no leaf is of it; %d rows were there before the first log", v.unlogged)})
		}
	}
	for _, name := range v.rows.broken {
		take(name)
	}
	if alone == 0 {
		return nil
	}
	return v.src.Bodies(ctx, func(b Body) error {
		if at, there := v.rows.find(keyOf(b.Content)); !b.Broken && there && v.rows.alone(at) && !v.rows.told.set(at) {
			take(rowName{b.Kind, b.ID})
		}
		return nil
	})
}
