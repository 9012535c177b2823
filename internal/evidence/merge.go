package evidence

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// MergeSpan makes one span out of two statements of the same span. The span
// grows: it starts with the earlier and ends with the later one, an error is
// never taken back, links, events and attributes are united. Where both state
// a value, one that was stated beats one that was inferred (app.mapping.inferred),
// else the statement with the later end wins, else b. A decision, stage or phase
// that loses is kept as an event. Neither argument is changed.
func MergeSpan(a, b Span) Span {
	old, last := a, b // last wins a conflict
	if a.End > b.End {
		old, last = b, a
	}
	out := last
	out.Start, out.End = min(a.Start, b.Start), last.End
	if statusRank(old.Status) > statusRank(last.Status) {
		out.Status, out.StatusMessage = old.Status, old.StatusMessage
	}
	keep(&out.StatusMessage, old.StatusMessage, old.Status == out.Status)
	keep(&out.Name, old.Name, true)
	keep(&out.Kind, old.Kind, true)
	keep(&out.TraceState, old.TraceState, true)
	keep(&out.Service, old.Service, true)
	keep(&out.ServiceVersion, old.ServiceVersion, true)
	keep(&out.Scope, old.Scope, true)
	keep(&out.ScopeVersion, old.ScopeVersion, true)
	if out.Parent == (SpanID{}) {
		out.Parent = old.Parent
	}
	out.Attrs = mergeAttrs(old.Attrs, last.Attrs)
	out.Resource = mergeAttrs(old.Resource, last.Resource)
	out.Links = mergeLinks(a.Links, b.Links)
	out.Events = mergeEvents(mergeEvents(a.Events, b.Events), Superseded(old, last))
	return out
}

// MergeStatements makes one span out of all statements of it, in an order of
// their own, so that it does not matter in which they came. There must be one
// at least.
func MergeStatements(all []Span) Span {
	if len(all) == 1 {
		return all[0]
	}
	sorted := make([]*Span, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	return *mergeAll(sorted)
}

func keep(dst *string, old string, also bool) {
	if *dst == "" && also {
		*dst = old
	}
}

func statusRank(status string) int {
	switch status {
	case StatusError:
		return 2
	case StatusOK:
		return 1
	}
	return 0
}

func mergeAttrs(old, last Attrs) Attrs {
	if len(old) == 0 {
		return last
	}
	if len(last) == 0 {
		return old
	}
	oldGuess, lastGuess := old.Strings(semconv.AppMappingInferred), last.Strings(semconv.AppMappingInferred)
	out := make(Attrs, len(old)+len(last))
	for k, v := range old {
		out[k] = v
	}
	var inferred []any
	for _, k := range oldGuess {
		if _, both := last[k]; !both || slices.Contains(lastGuess, k) {
			inferred = append(inferred, k)
		}
	}
	for k, v := range last {
		if _, both := old[k]; both && slices.Contains(lastGuess, k) && !slices.Contains(oldGuess, k) {
			continue // inferred now, but stated before
		}
		out[k] = v
	}
	for _, k := range lastGuess {
		if _, both := old[k]; !both && !slices.Contains(inferred, any(k)) {
			inferred = append(inferred, k)
		}
	}
	if len(inferred) == 0 {
		delete(out, semconv.AppMappingInferred)
		return out
	}
	slices.SortFunc(inferred, func(x, y any) int { return compareStrings(x.(string), y.(string)) })
	out[semconv.AppMappingInferred] = slices.Compact(inferred)
	return out
}

func compareStrings(x, y string) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func mergeLinks(a, b []Link) []Link {
	out := slices.Clone(a)
	for _, l := range b {
		same := func(o Link) bool { return reflect.DeepEqual(o, l) }
		if !slices.ContainsFunc(out, same) {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(x, y Link) int {
		if c := compareSteps(x.To, y.To); c != 0 {
			return c
		}
		return compareStrings(x.Relation, y.Relation)
	})
	return out
}

func mergeEvents(a, b []SpanEvent) []SpanEvent {
	out := slices.Clone(a)
	for _, e := range b {
		same := func(o SpanEvent) bool { return reflect.DeepEqual(o, e) }
		if !slices.ContainsFunc(out, same) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(x, y SpanEvent) int {
		switch {
		case x.Time != y.Time:
			return compareInts(x.Time, y.Time)
		case x.Name != y.Name:
			return compareStrings(x.Name, y.Name)
		}
		return compareStrings(fmt.Sprint(x.Attrs), fmt.Sprint(y.Attrs)) // fmt sorts the keys
	})
	return out
}
