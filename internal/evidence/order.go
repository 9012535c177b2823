package evidence

import (
	"bytes"
	"cmp"
	"fmt"
)

func compareInts(x, y int64) int { return cmp.Compare(x, y) }

func compareSteps(x, y StepID) int {
	if c := bytes.Compare(x.Trace[:], y.Trace[:]); c != 0 {
		return c
	}
	return bytes.Compare(x.Span[:], y.Span[:])
}

// compareSources orders facts: by time, then by where they are stated.
func compareSources(x, y *Source) int {
	if c := cmp.Compare(x.Time, y.Time); c != 0 {
		return c
	}
	if c := compareSteps(x.Step, y.Step); c != 0 {
		return c
	}
	return bytes.Compare(x.Record[:], y.Record[:])
}

func compareRecords(x, y *Record) int {
	if c := cmp.Compare(x.Time, y.Time); c != 0 {
		return c
	}
	if c := bytes.Compare(x.ID[:], y.ID[:]); c != 0 {
		return c
	}
	if c := compareSteps(x.Step, y.Step); c != 0 {
		return c
	}
	if c := cmp.Compare(x.Event, y.Event); c != 0 {
		return c
	}
	return cmp.Compare(spell(x.Attrs), spell(y.Attrs))
}

// compareStatements orders statements of one span by end; equal ends are told
// apart by what they say.
func compareStatements(x, y *Span) int {
	if c := cmp.Compare(x.End, y.End); c != 0 {
		return c
	}
	if c := cmp.Compare(x.Start, y.Start); c != 0 {
		return c
	}
	if c := cmp.Compare(x.Status, y.Status); c != 0 {
		return c
	}
	return cmp.Compare(spell(*x), spell(*y))
}

// spell writes a value the same way every time: fmt sorts the keys of a map.
func spell(v any) string { return fmt.Sprintf("%#v", v) }
