package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Question is what Verify is asked.
type Question struct {
	Keys  note.Verifiers // whose signatures count
	Since []byte         // a checkpoint as a signed note, nil for those of the store alone; of several logs one of each
	Now   time.Time      // for retention that an engine keeps by itself; zero for none
}

// Verify compares a store with its log and with checkpoints. The error says that
// it could not be done; what is wrong is in the report.
func Verify(ctx context.Context, src Source, q Question) (Report, error) {
	v := &verification{src: src, report: Report{Since: None, Entries: []Logged{}, Unknown: []string{}, Findings: []Finding{}}}
	for _, step := range []func(context.Context) error{v.entries, func(ctx context.Context) error { return v.checkpoints(ctx, q) },
		v.log, v.bodies, v.facts, v.missing} {
		if err := step(ctx); err != nil {
			return v.report, err
		}
	}
	v.report.Problems = v.found.count
	v.report.Findings = append(v.report.Findings, v.found.first()...)
	return v.report, nil
}

type verification struct {
	src    Source
	report Report
	found  found

	wanted                    []Checkpoint // by size
	erased                    leafSet
	retained                  []retained // by leaf
	superseded, there, stated leafSet
	unlogged                  int64
	bodiesOfEntries           map[int64]Digest
}

// retained is a retention that was logged, and by suffix all later ones.
type retained struct{ leaf, evidence, records int64 }

// leafSet is a set of leaves.
type leafSet []uint64

func (b *leafSet) set(i int64) (twice bool) {
	for int64(len(*b)) <= i/64 {
		*b = append(*b, 0)
	}
	word := &(*b)[i/64]
	twice = *word>>(i%64)&1 == 1
	*word |= 1 << (i % 64)
	return twice
}

func (b leafSet) has(i int64) bool { return i/64 < int64(len(b)) && b[i/64]>>(i%64)&1 == 1 }

// entries reads what the store says it did to itself. That it says so is checked
// with the other bodies.
func (v *verification) entries(ctx context.Context) error {
	v.bodiesOfEntries = map[int64]Digest{}
	err := v.src.Entries(ctx, func(number int64, text string) error {
		v.bodiesOfEntries[number] = EntryDigest(text)
		e, err := ReadEntry(text)
		if err != nil {
			return nil // its digest will not match
		}
		if e.What != Begun {
			leaf, err := v.src.Leaf(ctx, number)
			if err != nil && !errors.Is(err, ErrMalformed) {
				return err
			}
			v.report.Entries = append(v.report.Entries, logged(number, leaf.Age, e))
		}
		switch e.What {
		case Begun:
			v.report.Origin, v.unlogged = e.Origin, e.Before
		case Retention:
			v.retained = append(v.retained, retained{number, e.Old.Evidence.UnixNano(), e.Old.Records.UnixNano()})
		case Erasure:
			for _, leaf := range e.Erased.Leaves {
				if leaf >= 0 && leaf < number { // what comes later was not there to be erased
					v.erased.set(leaf)
				}
			}
		}
		return nil
	})
	for i := len(v.retained) - 2; i >= 0; i-- {
		v.retained[i].evidence = max(v.retained[i].evidence, v.retained[i+1].evidence)
		v.retained[i].records = max(v.retained[i].records, v.retained[i+1].records)
	}
	return err
}

func (v *verification) checkpoints(ctx context.Context, q Question) error {
	if q.Since != nil {
		c, err := OpenCheckpoint(q.Since, q.Keys)
		if errors.Is(err, ErrUnsigned) {
			return fmt.Errorf("the given checkpoint: %w; it says to be signed by %s", err, Signer(q.Since))
		}
		if err != nil {
			return fmt.Errorf("the given checkpoint: %w", err)
		}
		if v.report.Origin != "" && c.Origin != v.report.Origin {
			return fmt.Errorf("the given checkpoint is of the log %q, and this store's log is %q", c.Origin, v.report.Origin)
		}
		v.report.Since = c.Size
		v.wanted = append(v.wanted, c)
	}
	return v.src.Checkpoints(ctx, func(msg []byte) error {
		c, err := OpenCheckpoint(msg, q.Keys)
		switch {
		case err == nil && v.report.Origin != "" && c.Origin != v.report.Origin:
			err = errors.New("it is of another log")
		case err == nil:
			v.wanted = append(v.wanted, c)
			v.report.Heads = append(v.report.Heads[:0], msg...) // the last is the newest
			return nil
		}
		detail := fmt.Sprintf("checkpoint in the store of %d leaves: %v", c.Size, err)
		if errors.Is(err, ErrUnsigned) {
			signer := Signer(msg)
			detail += "; it says to be signed by " + signer
			if !slices.Contains(v.report.Unknown, signer) {
				v.report.Unknown = append(v.report.Unknown, signer)
			}
		}
		v.found.add(Finding{Leaf: None, Problem: BadCheckpoint, Detail: detail})
		return nil
	})
}

// log builds the tree again and compares its root with every checkpoint.
func (v *verification) log(ctx context.Context) error {
	at := map[int64][]Checkpoint{}
	for _, c := range v.wanted {
		at[c.Size] = append(at[c.Size], c)
	}
	tree := &Tree{}
	good, bad := int64(0), None // size of the last checkpoint that holds, and of the first that does not
	compare := func() {
		for _, c := range at[tree.Size] {
			if c.Root == tree.Root() {
				v.report.Checkpoints++
				if bad == None {
					good = c.Size
				}
			} else if bad == None {
				bad = c.Size
			}
		}
		delete(at, tree.Size)
	}
	compare()
	err := v.src.Leaves(ctx, func(first int64, run []byte) error {
		if first != tree.Size {
			v.found.add(Finding{Leaf: tree.Size, Last: first - 1, Problem: LogShort, Detail: "leaves are missing"})
			return errStop
		}
		for len(run) > 0 {
			leaf, rest, err := ReadLeaf(run)
			if err != nil || leaf.Instead >= tree.Size {
				v.found.add(Finding{Leaf: tree.Size, Problem: LogMalformed})
				return errStop
			}
			if leaf.Instead != None {
				v.superseded.set(leaf.Instead)
			}
			tree.Add(run[:len(run)-len(rest)])
			run = rest
			compare()
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	if bad != None {
		f := Finding{Leaf: good, Last: bad - 1, Problem: LogChanged, Detail: fmt.Sprintf("the checkpoint of %d leaves was made over others", bad)}
		v.found.add(f)
	}
	for size := range at {
		if size > tree.Size {
			v.found.add(Finding{Leaf: tree.Size, Last: size - 1, Problem: LogShort, Detail: fmt.Sprintf("a checkpoint covers %d leaves", size)})
		}
	}
	if len(v.wanted) == 0 && tree.Size > 0 {
		v.found.add(Finding{Leaf: None, Problem: BadCheckpoint, Detail: "no signed checkpoint is there"})
	} else if last := v.head(); bad == None && last >= 0 && last < tree.Size {
		v.found.add(Finding{Leaf: last, Last: tree.Size - 1, Problem: LogChanged, Detail: "leaves that no checkpoint covers"})
	}
	v.report.Leaves, v.report.Root = tree.Size, tree.Root().String()
	return nil
}

// head is the size of the largest checkpoint.
func (v *verification) head() int64 {
	largest := None
	for _, c := range v.wanted {
		largest = max(largest, c.Size)
	}
	return largest
}

var errStop = errors.New("stop")

// bodies compares every row with its leaf.
func (v *verification) bodies(ctx context.Context) error {
	check := func(b Body) error {
		name := Name(b.Kind, b.ID)
		switch {
		case b.Leaf == None:
			if v.report.Unlogged++; v.report.Unlogged > v.unlogged {
				v.found.add(Finding{Leaf: None, Row: name, Problem: Uncovered})
			}
			return nil
		case b.Leaf < 0 || b.Leaf >= v.report.Leaves:
			v.found.add(Finding{Leaf: None, Row: name, Problem: Uncovered, Detail: "it carries the number of no leaf"})
			return nil
		}
		leaf, err := v.src.Leaf(ctx, b.Leaf)
		switch {
		case errors.Is(err, ErrMalformed):
			return nil // found already
		case err != nil:
			return err
		case leaf.Kind != b.Kind || leaf.ID != b.ID || v.superseded.has(b.Leaf):
			v.found.add(Finding{Leaf: None, Row: name, Problem: Uncovered, Detail: fmt.Sprintf("it carries the number of leaf %d, which is not its own", b.Leaf)})
		case v.there.set(b.Leaf):
			v.found.add(Finding{Leaf: b.Leaf, Row: name, Problem: Uncovered, Detail: "two rows carry one leaf"})
		case b.Broken || leaf.Content != b.Content:
			v.found.add(Finding{Leaf: b.Leaf, Row: name, Problem: Changed})
		default:
			v.report.Present++
		}
		return nil
	}
	for number, digest := range v.bodiesOfEntries {
		if err := check(Body{Leaf: number, Kind: Note, Content: digest}); err != nil {
			return err
		}
	}
	return v.src.Bodies(ctx, check)
}

func (v *verification) facts(ctx context.Context) error {
	return v.src.Facts(ctx, func(number int64, facts Digest) error {
		if number < 0 || number >= v.report.Leaves {
			if number != None || v.unlogged == 0 {
				v.found.add(Finding{Leaf: None, Problem: Uncovered, Detail: "facts carry the number of no leaf"})
			}
			return nil
		}
		leaf, err := v.src.Leaf(ctx, number)
		switch {
		case errors.Is(err, ErrMalformed):
			return nil
		case err != nil:
			return err
		case leaf.Facts != facts:
			v.found.add(Finding{Leaf: number, Row: leaf.Name(), Problem: FactsChanged})
		}
		v.stated.set(number)
		return nil
	})
}

// missing looks for leaves whose row or facts are gone, and for what explains it.
func (v *verification) missing(ctx context.Context) error {
	number := int64(0)
	next := 0 // first retention that was logged after number
	err := v.src.Leaves(ctx, func(_ int64, run []byte) error {
		for ; len(run) > 0; number++ {
			leaf, rest, err := ReadLeaf(run)
			if err != nil || number >= v.report.Leaves {
				return errStop
			}
			run = rest
			for next < len(v.retained) && v.retained[next].leaf <= number {
				next++
			}
			v.account(number, leaf, next)
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (v *verification) account(number int64, leaf Leaf, next int) {
	if v.superseded.has(number) {
		v.report.Instead++
		return
	}
	evidence, records := int64(math.MinInt64), int64(math.MinInt64)
	if next < len(v.retained) {
		evidence, records = v.retained[next].evidence, v.retained[next].records
	}
	erased := v.erased.has(number)
	old := leaf.Age < evidence
	if leaf.Kind == Record {
		old = leaf.Age < records
	}
	there := v.there.has(number)
	switch {
	case there:
	case erased:
		v.report.Erased++
	case old && leaf.Kind != Note:
		v.report.Retained++
	default:
		v.found.add(Finding{Leaf: number, Row: leaf.Name(), Problem: Removed})
	}
	// Facts of records outlive the record, unless they have no time of their own.
	gone := erased || leaf.Age < evidence || leaf.Arrival && leaf.Age < records
	if leaf.Facts != (Digest{}) && !v.stated.has(number) && !gone && (there || old) {
		v.found.add(Finding{Leaf: number, Row: leaf.Name(), Problem: FactsRemoved})
	}
}
