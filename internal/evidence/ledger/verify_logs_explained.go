package ledger

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"
)

// rowName is what an erasure names.
type rowName struct {
	kind Kind
	id   ID
}

// explains is what signed entries explain. An age before one of the limits is
// gone by retention.
type explains struct {
	evidence, records int64
	erased            map[rowName][]map[string]int64 // by row: how long each log was
	kept              []keptSince
	unlogged          int64
}

// keptSince is a retention that the engine keeps by itself, from a time on.
type keptSince struct {
	at   int64
	kept Kept
}

// serverSkew is how far the clock of a server that deletes may be ahead of the
// one that verifies.
const serverSkew = 10 * time.Minute

// trust takes in the entries of a log that are proven, and checks that the others
// say what their leaves do.
func (v *logsVerification) trust(l *oneLog) {
	for _, n := range l.notes {
		if n.leaf.Content != EntryDigest(n.text) {
			problem := Changed
			if n.text == "" {
				problem = Removed
			}
			v.found.add(Finding{Log: l.report.Origin, Leaf: n.number, Row: Note.String(), Problem: problem})
			continue
		}
		e, err := ReadEntry(n.text)
		if err != nil {
			continue
		}
		if e.What == Begun && n.leaf.Age != 0 {
			l.report.Began = time.Unix(0, n.leaf.Age).UTC()
		}
		if n.number >= l.proven {
			continue
		}
		if n.number >= 0 && e.What != Begun {
			entry := logged(n.number, n.leaf.Age, e)
			entry.Log = l.report.Origin
			v.report.Entries = append(v.report.Entries, entry)
		}
		v.explained(e, n.leaf.Age)
	}
}

func (x *explains) explained(e Entry, at int64) {
	switch {
	case e.What == Begun:
		x.unlogged = max(x.unlogged, e.Before)
		if e.Kept != nil {
			x.kept = append(x.kept, keptSince{at, *e.Kept})
		}
	case e.What == Retention:
		x.evidence, x.records = max(x.evidence, e.Old.Evidence.UnixNano()), max(x.records, e.Old.Records.UnixNano())
	case e.What == Erasure:
		for _, text := range e.Erased.Rows {
			if name, ok := readName(text); ok {
				x.erased[name] = append(x.erased[name], e.Erased.Until)
			}
		}
	}
}

// settle reckons what the engine's own retention may have taken: while one was
// in force, until the next was set, everything older.
func (x *explains) settle(now time.Time) {
	slices.SortStableFunc(x.kept, func(a, b keptSince) int { return cmp.Compare(a.at, b.at) })
	for i, k := range x.kept {
		until := int64(math.MinInt64)
		if i+1 < len(x.kept) {
			until = x.kept[i+1].at
		} else if !now.IsZero() {
			until = now.UnixNano()
		}
		if until == math.MinInt64 {
			continue
		}
		until += int64(serverSkew)
		if k.kept.Evidence > 0 && k.kept.Evidence < math.MaxInt64/int64(time.Second) {
			x.evidence = max(x.evidence, until-k.kept.Evidence*int64(time.Second))
		}
		if k.kept.Records > 0 && k.kept.Records < math.MaxInt64/int64(time.Second) {
			x.records = max(x.records, until-k.kept.Records*int64(time.Second))
		}
	}
}

func (x *explains) old(l *Leaf) bool {
	if l.Kind == Record {
		return l.Age < x.records
	}
	return l.Age < x.evidence
}

func (x *explains) forgotten(origin string, number int64, l *Leaf) bool {
	for _, until := range x.erased[rowName{l.Kind, l.ID}] {
		if number < until[origin] {
			return true
		}
	}
	return false
}

// readName reads what Name wrote of a row.
func readName(text string) (n rowName, ok bool) {
	for _, k := range []Kind{Span, Record, Refused} {
		if id, found := strings.CutPrefix(text, k.String()+" "); found {
			b, err := hex.DecodeString(strings.Replace(id, "/", "", 1))
			if err != nil || len(b) != idBytes[k] {
				return n, false
			}
			n.kind = k
			copy(n.id[:], b)
			return n, true
		}
	}
	return n, false
}
