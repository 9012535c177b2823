package semconvdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Entry is all that is pinned about one name of one sort.
type Entry struct {
	Name      string `json:"name"`
	Sort      string `json:"sort"` // attribute, metric, event, span, entity
	Registry  string `json:"registry,omitempty"`
	Brief     string `json:"brief,omitempty"`
	Content   bool   `json:"content"` // may hold what people or models wrote
	Person    bool   `json:"person"`
	Retired   bool   `json:"retired"` // of conventions before all snapshots, without a successor
	Snapshots []Fact `json:"snapshots,omitempty"`

	Dialects []mapping.Reader `json:"dialects,omitempty"` // that read an attribute, see package mapping
}

// Fact is what one snapshot has for the name: the name itself, another one, or
// nothing.
type Fact struct {
	Snapshot   string    `json:"snapshot"`
	Has        bool      `json:"has"`
	Spelt      []Rename  `json:"spelt,omitempty"` // ways to its other names
	Type       string    `json:"type,omitempty"`
	Values     []string  `json:"values,omitempty"`
	Kind       string    `json:"kind,omitempty"`
	Instrument string    `json:"instrument,omitempty"`
	Unit       string    `json:"unit,omitempty"`
	Buckets    []float64 `json:"buckets,omitempty"`
	Signal     string    `json:"signal,omitempty"`
	Ended      *Ended    `json:"ended,omitempty"` // an event that this snapshot no longer has
	Uses       []Use     `json:"uses,omitempty"`  // of an attribute: where; of the rest: which keys
}

// Use is one key of one span, metric, event or entity.
type Use struct {
	On    string `json:"on"`
	Level string `json:"level"`
}

// Show gives what is pinned about a name. The error of a name that nobody has
// lists near ones.
func Show(name string) ([]Entry, error) {
	var out []Entry
	out = append(out, attribute(name)...)
	for _, f := range []struct {
		sort string
		fact func(*semconv.Snapshot, string) Fact
	}{{"metric", metricFact}, {"event", eventFact}, {"span", spanFact}, {"entity", entityFact}} {
		e := Entry{Name: name, Sort: f.sort}
		found := false
		for _, s := range semconv.Chain() {
			fact := f.fact(s, name)
			found = found || fact.Has || fact.Ended != nil
			e.Snapshots = append(e.Snapshots, fact)
		}
		switch {
		case found:
			out = append(out, e)
		case f.sort == "event": // an event of a snapshot is in a registry only for its name
			out = append(out, registryEvents(name)...)
		}
	}
	out = withReaders(name, out)
	if len(out) == 0 {
		return nil, fmt.Errorf("%q is in no snapshot, no registry and no dialect%s", name, near(name))
	}
	return out, nil
}

func attribute(name string) []Entry {
	var out []Entry
	e := Entry{Name: name, Sort: "attribute"}
	known := false
	take := func(a semconv.Attribute) {
		if a.Key == name {
			e.Brief, e.Content, e.Person, known = a.Brief, a.Content, a.Person, true
		}
	}
	for _, s := range semconv.Chain() {
		for _, a := range s.Attributes {
			take(a)
		}
		for _, a := range s.RetiredHere {
			if take(a); a.Key == name {
				e.Retired = true
			}
		}
		for _, a := range s.Aliases {
			if a.From == name && !known {
				e.Brief, known = "Earlier spelling of "+a.To+".", true
			}
		}
		e.Snapshots = append(e.Snapshots, keyFact(s, name))
	}
	if known {
		out = append(out, e)
	}
	for _, r := range []*semconv.Registry{semconv.App(), semconv.Core()} {
		for _, g := range r.Groups {
			for _, a := range g.Attributes {
				if a.Key == name {
					out = append(out, Entry{
						Name: name, Sort: "attribute", Registry: r.Registry, Brief: a.Brief, Content: a.Content, Person: a.Person,
						Snapshots: []Fact{{Snapshot: r.Registry, Has: true, Type: a.Type, Values: a.Values}},
					})
				}
			}
		}
	}
	return out
}

// registryEvents gives the events that the registries beside the snapshots list.
func registryEvents(name string) []Entry {
	var out []Entry
	for _, r := range []*semconv.Registry{semconv.App(), semconv.Core()} {
		for _, ev := range r.Events {
			if ev.Name == name {
				out = append(out, Entry{Name: name, Sort: "event", Registry: r.Registry, Brief: ev.Brief})
			}
		}
	}
	return out
}

func keyFact(s *semconv.Snapshot, name string) Fact {
	f := Fact{Snapshot: s.Name}
	for _, m := range semconv.Into(s).Keys[name].Moves {
		f.Spelt = append(f.Spelt, Rename{From: name, To: m.To, Where: m.Where})
	}
	a := s.Attribute(name)
	if a == nil {
		return f
	}
	f.Has, f.Type, f.Values = true, a.Type, a.Values
	use := func(on string, l semconv.Levels) {
		if level := levelOf(l)[name]; level != "" {
			f.Uses = append(f.Uses, Use{on, level})
		}
	}
	for _, x := range s.Spans {
		use("span "+x.Span, x.Levels)
	}
	for _, x := range s.Metrics {
		use("metric "+x.Metric, x.Levels)
	}
	for _, x := range s.Events {
		use("event "+x.Event, x.Levels)
	}
	for _, x := range s.Entities {
		use("entity "+x.Entity, semconv.Levels{Required: x.Identity, Recommended: x.Description})
	}
	return f
}

func metricFact(s *semconv.Snapshot, name string) Fact {
	f := Fact{Snapshot: s.Name}
	for _, m := range semconv.Into(s).Metrics[name].Moves {
		f.Spelt = append(f.Spelt, Rename{From: name, To: m.To, Where: m.Where, Drops: m.Drops, Adds: m.Adds})
	}
	for _, m := range s.Metrics {
		if m.Metric == name {
			f.Has, f.Type, f.Instrument, f.Unit, f.Buckets, f.Uses = true, m.Value, m.Instrument, m.Unit, m.Buckets, uses(m.Levels)
		}
	}
	return f
}

func eventFact(s *semconv.Snapshot, name string) Fact {
	f := Fact{Snapshot: s.Name}
	for _, e := range s.Events {
		if e.Event == name {
			f.Has, f.Signal, f.Uses = true, e.Signal, uses(e.Levels)
		}
	}
	for _, earlier := range semconv.Chain() {
		for _, e := range earlier.Changes.EventsEnded {
			if e.Event == name {
				f.Ended = &Ended{e.Event, e.By, earlier.Name, e.Brief}
			}
		}
		if earlier == s {
			break
		}
	}
	return f
}

func spanFact(s *semconv.Snapshot, name string) Fact {
	f := Fact{Snapshot: s.Name}
	for _, x := range s.Spans {
		if x.Span == name {
			f.Has, f.Kind, f.Uses = true, x.Kind, uses(x.Levels)
		}
	}
	if f.Has {
		return f
	}
	for _, other := range semconv.Chain() {
		if slices.ContainsFunc(other.Spans, func(x semconv.Span) bool { return x.Span == name }) {
			now := spanIn(name, other, s)
			if now != name && slices.ContainsFunc(s.Spans, func(x semconv.Span) bool { return x.Span == now }) {
				f.Spelt = []Rename{{From: name, To: now}}
			}
		}
	}
	return f
}

func entityFact(s *semconv.Snapshot, name string) Fact {
	f := Fact{Snapshot: s.Name}
	for _, x := range s.Entities {
		if x.Entity == name {
			f.Has, f.Uses = true, uses(semconv.Levels{Required: x.Identity, Recommended: x.Description})
		}
	}
	return f
}

// uses lists the keys in the order of their levels.
func uses(l semconv.Levels) []Use {
	levels := levelOf(l)
	var out []Use
	for _, key := range slices.Concat(l.Required, l.Conditional, l.Recommended, l.OptIn) {
		out = append(out, Use{key, levels[key]})
	}
	return out
}

// near suggests up to five names that share the most parts with the wanted one.
func near(name string) string {
	wanted := parts(name)
	type match struct {
		name  string
		score int
	}
	var found []match
	for _, n := range allNames() {
		score := 0
		for part := range parts(n) {
			if wanted[part] {
				score += 2
			}
			for w := range wanted {
				if part != w && len(w) > 3 && (strings.Contains(part, w) || strings.Contains(w, part) && len(part) > 3) {
					score++
				}
			}
		}
		if score > 0 {
			found = append(found, match{n, score})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return len(a.name) - len(b.name)
	})
	var names []string
	for _, m := range found[:min(5, len(found))] {
		names = append(names, m.name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; near are " + strings.Join(names, ", ")
}

func parts(name string) map[string]bool {
	out := map[string]bool{}
	for _, p := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }) {
		out[p] = true
	}
	delete(out, "gen")
	delete(out, "ai")
	return out
}

func allNames() []string {
	names := map[string]bool{}
	for _, s := range semconv.Chain() {
		for _, a := range slices.Concat(s.Attributes, s.RetiredHere) {
			names[a.Key] = true
		}
		for _, a := range s.Aliases {
			names[a.From] = true
		}
		for _, m := range s.Metrics {
			names[m.Metric] = true
		}
		for _, e := range s.Events {
			names[e.Event] = true
		}
		for _, e := range s.Changes.EventsEnded {
			names[e.Event] = true
		}
		for _, x := range s.Entities {
			names[x.Entity] = true
		}
		for _, x := range s.Spans {
			names[x.Span] = true
		}
	}
	for _, r := range []*semconv.Registry{semconv.App(), semconv.Core()} {
		for _, g := range r.Groups {
			for _, a := range g.Attributes {
				names[a.Key] = true
			}
		}
	}
	for _, key := range mapping.ReadKeys() {
		names[key] = true
	}
	return sorted(names)
}
