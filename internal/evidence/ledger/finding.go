package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Problem says what is wrong with a row or with the log.
type Problem string

// All problems there are.
const (
	Changed       Problem = "changed"        // the row does not say what was recorded
	Removed       Problem = "removed"        // the row is gone, and nothing logged explains it
	FactsChanged  Problem = "facts_changed"  // its facts are not those that were recorded
	FactsRemoved  Problem = "facts_removed"  // its facts are gone
	Uncovered     Problem = "not_covered"    // a row without a leaf of its own
	LogChanged    Problem = "log_changed"    // leaves are not those that a checkpoint covers
	LogShort      Problem = "log_short"      // leaves that a checkpoint covers are gone
	LogMalformed  Problem = "log_malformed"  // a leaf cannot be read
	BadCheckpoint Problem = "bad_checkpoint" // of another log, unsigned or malformed
)

// Finding is one thing that is wrong.
type Finding struct {
	Log     string  `json:"log,omitempty"` // origin, of a store with several
	Leaf    int64   `json:"leaf"`          // number of the leaf; for a range its first
	Last    int64   `json:"last"`          // last leaf of the range, else Leaf
	Row     string  `json:"row"`           // which row, "" if unknown
	Problem Problem `json:"problem"`
	Detail  string  `json:"detail,omitempty"`
}

// String says it in one line.
func (f Finding) String() string {
	where := "log"
	if f.Log != "" {
		where += " " + f.Log
	}
	switch {
	case f.Row != "" && f.Leaf == None:
		where = f.Row
	case f.Row != "":
		where = fmt.Sprintf("%s (leaf %d)", f.Row, f.Leaf)
	case f.Leaf >= 0 && f.Last > f.Leaf:
		where = fmt.Sprintf("leaves %d to %d", f.Leaf, f.Last)
	case f.Leaf >= 0:
		where = fmt.Sprintf("leaf %d", f.Leaf)
	}
	if f.Log != "" && f.Leaf >= 0 {
		where = fmt.Sprintf("log %s, %s", f.Log, where)
	}
	text := where + ": " + string(f.Problem)
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return text
}

// Report is what Verify found.
type Report struct {
	Origin      string    `json:"origin"`
	Leaves      int64     `json:"leaves"`      // in the log
	Root        string    `json:"root"`        // of all leaves
	Since       int64     `json:"since"`       // leaves that the given checkpoint covers, -1 without one
	Checkpoints int       `json:"checkpoints"` // whose signature and root hold, the given one included
	Present     int64     `json:"present"`     // rows that say what was recorded
	Instead     int64     `json:"superseded"`  // leaves of rows that a later statement changed
	Retained    int64     `json:"retention"`   // rows that retention took
	Erased      int64     `json:"erased"`      // rows that an erasure took
	Unlogged    int64     `json:"unlogged"`    // rows from before the log
	Entries     []Logged  `json:"entries"`     // what the store says it did to itself, its beginning apart
	Unknown     []string  `json:"unknown"`     // keys that signed checkpoints and did not count
	Problems    int64     `json:"problems"`
	Findings    []Finding `json:"findings"` // the first MaxFindings by leaf

	// Of a store with several writers, where Leaves is the sum and Root is empty.
	Logs      []LogReport `json:"logs,omitempty"`
	Repeated  int64       `json:"repeated,omitempty"`  // leaves of rows that other leaves are of too
	Announced int64       `json:"announced,omitempty"` // leaves announced and never settled: no row of theirs was acknowledged
	Unsettled int64       `json:"unsettled,omitempty"` // rows that only such leaves are of
	Unproven  int64       `json:"unproven,omitempty"`  // rows of logs whose signer is not known
	Unsigned  string      `json:"unsigned,omitempty"`  // the first row that no leaf is of, "" if every row has one

	// Heads are the newest checkpoints, signed notes one after the other.
	Heads []byte `json:"-"`
}

// LogReport is what was found of one of several logs.
type LogReport struct {
	Origin      string    `json:"origin"`
	Key         string    `json:"key"` // name of the signer
	Known       bool      `json:"known"`
	Began       time.Time `json:"began"`
	Last        time.Time `json:"last"` // newest checkpoint
	Leaves      int64     `json:"leaves"`
	Root        string    `json:"root"`
	Since       int64     `json:"since"` // as in Report
	Checkpoints int       `json:"checkpoints"`
	Announced   int64     `json:"announced"`
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool { return r.Problems == 0 }

// MaxFindings is the most findings of a report.
const MaxFindings = 100

// found keeps the findings with the lowest leaves.
type found struct {
	list  []Finding
	count int64
}

func (f *found) add(x Finding) {
	if x.Last < x.Leaf {
		x.Last = x.Leaf
	}
	f.count++
	f.list = append(f.list, x)
	if len(f.list) >= 4*MaxFindings {
		f.list = f.first()
	}
}

func (f *found) first() []Finding {
	slices.SortStableFunc(f.list, func(a, b Finding) int {
		// What is wrong with no leaf comes last: it names no first bad row.
		if a.Leaf < 0 != (b.Leaf < 0) {
			return cmp.Compare(b.Leaf, a.Leaf)
		}
		return cmp.Or(cmp.Compare(a.Leaf, b.Leaf), cmp.Compare(a.Last, b.Last))
	})
	return f.list[:min(len(f.list), MaxFindings)]
}
