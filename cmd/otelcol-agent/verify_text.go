package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// verified is what a report is told with.
type verified struct {
	keys     []string // verifier keys whose signatures counted
	trusting bool     // nothing was given that came from elsewhere
	entries  bool     // all entries are wanted
}

func writeVerified(w io.Writer, r ledger.Report, v verified) error {
	if len(r.Logs) > 0 {
		writeLogs(w, r)
	} else {
		fmt.Fprintf(w, "log %s: %d leaves, root %s\n", r.Origin, r.Leaves, r.Root)
	}
	switch {
	case r.Since >= 0:
		fmt.Fprintf(w, "given: a checkpoint of %s; with those of the store %s\n", amount(r.Since, "leaf", "leaves"), holding(r.Checkpoints, ""))
	default:
		fmt.Fprintf(w, "%s; none from elsewhere was given\n", holding(r.Checkpoints, " of the store"))
	}
	if v.trusting {
		fmt.Fprintf(w, "trusted: the key beside the store, %s; whoever can write there could have replaced both. Only a public half (--key) or a checkpoint (--since) that was kept elsewhere rules that out\n", nameKeys(v.keys))
	}
	fmt.Fprintf(w, "%s; %s superseded, retention took %s, erasure %d; %d from before the log\n",
		amount(r.Present, "row is as it was recorded", "rows are as they were recorded"), amount(r.Instead, "statement was", "statements were"), amount(r.Retained, "span, record or refused row", "spans, records and refused rows"), r.Erased, r.Unlogged)
	writeUnsettled(w, r)
	writeEntries(w, r.Entries, v.entries)
	for _, f := range r.Findings {
		fmt.Fprintln(w, listing.Inert(f.String()))
	}
	if more := r.Problems - int64(len(r.Findings)); more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "%s\n", knownKeys(v.keys))
	}
	return nil
}

// writeEntries tells of every change of the key: what was signed before is
// proved by another key. Of the rest there may be one an hour.
func writeEntries(w io.Writer, entries []ledger.Logged, all bool) {
	rest := map[string]int64{}
	for _, e := range entries {
		if all || e.What == ledger.NewKey {
			fmt.Fprintln(w, listing.Inert(e.String()))
		} else {
			rest[e.What]++
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(w, "the log also holds %s and %s (--entries lists them)\n",
			amount(rest[ledger.Retention], "retention", "retentions"), amount(rest[ledger.Erasure], "step of erasure", "steps of erasure"))
	}
}

func holding(n int, of string) string {
	if n == 1 {
		return "1 checkpoint" + of + " holds"
	}
	return fmt.Sprintf("%d checkpoints%s hold", n, of)
}

func amount(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func nameKeys(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = ledger.NameOf(k)
	}
	return strings.Join(names, ", ")
}

// knownKeys says what to do about a signature of a key that is not known.
func knownKeys(keys []string) string {
	return "known: " + nameKeys(keys) + "; if the log's key was changed, name the public half of every key that signed it (--key OLD.pub --key NEW.pub)"
}
