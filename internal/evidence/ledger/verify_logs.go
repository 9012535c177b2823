package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrNoLog says that nothing was ever recorded in a log of the store.
var ErrNoLog = errors.New("the store keeps no log yet; it begins with the first batch that a collector of this version stores")

// VerifyLogs compares a store of several writers with their logs and with
// checkpoints. It remembers 16 bytes of every row.
//
// No engine that needs it shows one state of all its tables, so what is wrong is
// looked at twice: an erasure that came in between is explained by then.
func VerifyLogs(ctx context.Context, src Logs, q Question) (Report, error) {
	first, err := verifyLogs(ctx, src, q)
	if err != nil || first.OK() {
		return first, err
	}
	second, err := verifyLogs(ctx, src, q)
	if err != nil || first.Problems > int64(len(first.Findings)) || second.Problems > int64(len(second.Findings)) {
		return second, err
	}
	second.Findings = slices.DeleteFunc(second.Findings, func(f Finding) bool { return !slices.Contains(first.Findings, f) })
	second.Problems = int64(len(second.Findings))
	return second, nil
}

func verifyLogs(ctx context.Context, src Logs, q Question) (Report, error) {
	v := &logsVerification{src: src, q: q, wanted: map[string][]Checkpoint{}, named: map[string]int64{},
		explains: explains{evidence: math.MinInt64, records: math.MinInt64, erased: map[rowName][]map[string]int64{}},
		report:   Report{Since: None, Entries: []Logged{}, Unknown: []string{}, Findings: []Finding{}}}
	for _, step := range []func(context.Context) error{v.given, v.witnessed, v.walkAll, v.bodies, v.account, v.rest} {
		if err := step(ctx); err != nil {
			return v.report, err
		}
	}
	v.summary()
	v.report.Problems = v.found.count
	v.report.Findings = append(v.report.Findings, v.found.first()...)
	return v.report, nil
}

type logsVerification struct {
	src    Logs
	q      Question
	report Report
	found  found

	wanted   map[string][]Checkpoint // by origin: given from elsewhere or named by another log
	named    map[string]int64        // by origin: the largest that another log names
	logs     []*oneLog
	explains // what explains that rows are gone
	rows     rowSet
	missing  map[rowKey]*missingRow
	expired  map[rowKey]bool // gone by the time of one arrival; it may have come again
}

// oneLog is what is known of one log.
type oneLog struct {
	report LogReport
	size   int64 // leaves that its checkpoints say to cover
	proven int64 // leaves under a signature of a known key that holds
	head   []byte
	notes  []noted
}

// noted is an entry with its place.
type noted struct {
	number int64
	leaf   Leaf
	text   string
}

// given reads the checkpoints that came from elsewhere.
func (v *logsVerification) given(context.Context) error {
	for _, note := range SplitNotes(v.q.Since) {
		c, err := OpenCheckpoint(note, v.q.Keys)
		if errors.Is(err, ErrUnsigned) {
			return fmt.Errorf("the given checkpoint: %w; it says to be signed by %s", err, Signer(note))
		}
		if err != nil {
			return fmt.Errorf("the given checkpoint: %w", err)
		}
		v.wanted[c.Origin] = append(v.wanted[c.Origin], c)
		v.report.Since = max(v.report.Since, 0) + c.Size
	}
	return nil
}

// witnessed reads the checkpoints that logs name at their beginning: who removes
// a log must remove all that began after it. Whoever wrote them there, they were
// signed.
func (v *logsVerification) witnessed(ctx context.Context) error {
	return v.src.Entries(ctx, func(text string) error {
		e, err := ReadEntry(text)
		if err != nil {
			return nil // its digest will not match
		}
		for _, note := range e.After {
			if c, err := OpenCheckpoint([]byte(note), v.q.Keys); err == nil {
				v.wanted[c.Origin] = append(v.wanted[c.Origin], c)
				v.named[c.Origin] = max(v.named[c.Origin], c.Size)
			}
		}
		return nil
	})
}

// since is the size of the largest checkpoint that was given of a log.
func (v *logsVerification) since(origin string) int64 {
	largest := None
	for _, note := range SplitNotes(v.q.Since) {
		if c, err := OpenCheckpoint(note, v.q.Keys); err == nil && c.Origin == origin {
			largest = max(largest, c.Size)
		}
	}
	return largest
}

// summary fills in what is said of all logs together.
func (v *logsVerification) summary() {
	for _, l := range v.logs {
		v.report.Logs = append(v.report.Logs, l.report)
		v.report.Leaves += l.report.Leaves
		v.report.Checkpoints += l.report.Checkpoints
		v.report.Announced += l.report.Announced
		if l.report.Known && v.named[l.report.Origin] < l.size {
			v.report.Heads = append(append(v.report.Heads, l.head...), '\n')
		}
	}
}
