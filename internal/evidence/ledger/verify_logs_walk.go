package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

func (v *logsVerification) walkAll(ctx context.Context) error {
	origins, err := v.src.Origins(ctx)
	if err != nil {
		return err
	}
	if len(origins) == 0 && len(v.wanted) == 0 {
		return ErrNoLog
	}
	slices.Sort(origins)
	for _, origin := range origins {
		l := &oneLog{report: LogReport{Origin: origin, Since: v.since(origin)}}
		v.logs = append(v.logs, l)
		if err := v.walk(ctx, l); err != nil {
			return err
		}
	}
	for origin, list := range v.wanted {
		if size := list[len(list)-1].Size; !slices.Contains(origins, origin) && size > 0 {
			v.found.add(Finding{Log: origin, Leaf: 0, Last: size - 1, Problem: LogShort, Detail: "the whole log is gone, or a given checkpoint is of another store"})
		}
	}
	for _, l := range v.logs {
		v.trust(l)
	}
	slices.SortStableFunc(v.logs, func(a, b *oneLog) int {
		return cmp.Or(cmp.Compare(a.report.Key, b.report.Key), a.report.Began.Compare(b.report.Began))
	})
	v.settle(v.q.Now)
	return nil
}

// walk builds the tree of one log again and compares it with every checkpoint.
func (v *logsVerification) walk(ctx context.Context, l *oneLog) error {
	w := &walking{v: v, l: l, tree: &Tree{}, wanted: v.wanted[l.report.Origin]}
	slices.SortStableFunc(w.wanted, func(a, b Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	w.wanted = slices.Compact(w.wanted)
	if err := v.src.Heads(ctx, l.report.Origin, 0, w.head); err != nil {
		return err
	}
	for _, c := range w.wanted {
		if c.Size > l.size {
			w.problem(LogShort, l.size, c.Size, fmt.Sprintf("a checkpoint covers %d leaves", c.Size))
			break
		}
	}
	if !w.broken {
		l.report.Root = w.tree.Root().String()
	}
	l.report.Leaves = l.size
	return nil
}

type walking struct {
	v        *logsVerification
	l        *oneLog
	tree     *Tree
	wanted   []Checkpoint // by size, those that are still to come
	broken   bool         // what comes cannot be compared any more
	unsigned bool         // one checkpoint was
}

func (w *walking) problem(p Problem, from, to int64, detail string) {
	w.v.found.add(Finding{Log: w.l.report.Origin, Leaf: from, Last: to - 1, Problem: p, Detail: detail})
	w.broken = true
}

func (w *walking) head(h Head, c Chunk) error {
	l, from := w.l, w.l.size
	if h.Size <= from {
		return nil
	}
	l.size, l.report.Last = h.Size, time.Unix(0, h.Made).UTC()
	w.leaves(from, h, c)
	signed := w.signature(h)
	if w.broken {
		return nil
	}
	root := w.tree.Root()
	if signed != nil && signed.Root != root {
		w.problem(LogChanged, l.proven, h.Size, fmt.Sprintf("the checkpoint of %d leaves was made over others", h.Size))
		return nil
	}
	if signed != nil {
		l.proven, l.head = h.Size, h.Note
		l.report.Checkpoints++
	}
	for len(w.wanted) > 0 && w.wanted[0].Size <= h.Size {
		c := w.wanted[0]
		w.wanted = w.wanted[1:]
		if c.Size == h.Size && c.Root == root {
			if c.Size == l.report.Since {
				l.report.Checkpoints++
			}
			continue
		}
		if c.Size > 0 {
			w.problem(LogChanged, 0, c.Size, fmt.Sprintf("a checkpoint from elsewhere of %d leaves was made over others", c.Size))
			return nil
		}
	}
	return nil
}

// signature opens the checkpoint, and says once of a log if it does not count.
func (w *walking) signature(h Head) *Checkpoint {
	c, err := OpenCheckpoint(h.Note, w.v.q.Keys)
	if err == nil && (c.Origin != w.l.report.Origin || c.Size != h.Size) {
		err = errors.New("it is of another log or size")
	}
	if w.l.report.Key == "" || err == nil && !w.l.report.Known {
		w.l.report.Key, w.l.report.Known = Signer(h.Note), err == nil
	}
	if err == nil {
		return &c
	}
	if w.unsigned {
		return nil
	}
	w.unsigned = true
	detail := fmt.Sprintf("checkpoint in the store of %d leaves: %v", h.Size, err)
	if errors.Is(err, ErrUnsigned) {
		signer := Signer(h.Note)
		detail += "; it says to be signed by " + signer
		if !slices.Contains(w.v.report.Unknown, signer) {
			w.v.report.Unknown = append(w.v.report.Unknown, signer)
		}
	}
	w.v.found.add(Finding{Log: w.l.report.Origin, Leaf: None, Problem: BadCheckpoint, Detail: detail})
	return nil
}

// leaves adds the chunk that a checkpoint placed to the tree.
func (w *walking) leaves(from int64, h Head, c Chunk) {
	if c.Number == None {
		if !w.broken {
			w.problem(LogShort, from, h.Size, "leaves that a checkpoint covers are gone")
		}
		return
	}
	number := from
	for run := c.Leaves; len(run) > 0; number++ {
		leaf, rest, err := ReadLeaf(run)
		if err != nil {
			if !w.broken {
				w.problem(LogMalformed, number, number+1, "")
			}
			return
		}
		if leaf.Kind == Note {
			w.l.notes = append(w.l.notes, noted{number, leaf, c.Entry})
		}
		if !w.broken {
			w.tree.Add(run[:len(run)-len(rest)])
		}
		run = rest
	}
}
