package main

import (
	"fmt"
	"io"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// writeLogs tells of each writer of a store that several record in. Logs come by
// their keys.
func writeLogs(w io.Writer, r ledger.Report) {
	for from := 0; from < len(r.Logs); {
		of := r.Logs[from]
		to, leaves, checkpoints, given := from, int64(0), 0, int64(0)
		last, both := time.Time{}, false
		for ; to < len(r.Logs) && r.Logs[to].Key == of.Key; to++ {
			l := r.Logs[to]
			leaves, checkpoints, given = leaves+l.Leaves, checkpoints+l.Checkpoints, given+max(l.Since, 0)
			both = both || l.Began.Before(last)
			if l.Last.After(last) {
				last = l.Last
			}
		}
		fmt.Fprintf(w, "writer %s: %s in %s", listing.Inert(of.Key), amount(leaves, "leaf", "leaves"), amount(int64(to-from), "log", "logs"))
		if !of.Began.IsZero() {
			fmt.Fprintf(w, " from %s to %s", of.Began.Format(time.RFC3339), last.Format(time.RFC3339))
		}
		if !of.Known {
			fmt.Fprint(w, "; its key is not known, so nothing is proved of it\n")
		} else {
			fmt.Fprintf(w, "; %s", holding(checkpoints, ""))
			if given > 0 {
				fmt.Fprintf(w, "; the given one covers %d", given)
			}
			fmt.Fprintln(w)
		}
		if both {
			fmt.Fprintln(w, "  two of these logs were written at the same time: several collectors have this key")
		}
		from = to
	}
}

// writeUnsettled tells of what accuses nobody.
func writeUnsettled(w io.Writer, r ledger.Report) {
	if r.Announced > 0 {
		fmt.Fprintf(w, "%s announced and never settled, by batches that broke off before they were acknowledged; %s only those\n",
			amount(r.Announced, "leaf was", "leaves were"), amount(r.Unsettled, "row has", "rows have"))
	}
	if r.Unproven > 0 {
		fmt.Fprintf(w, "%s recorded by writers whose keys are not known\n", amount(r.Unproven, "row was", "rows were"))
	}
	if r.Unsigned != "" {
		fmt.Fprintf(w, "unsigned: %s no leaf; the first is %s\n", amount(r.Unlogged, "row has", "rows have"), listing.Inert(r.Unsigned))
	}
}
