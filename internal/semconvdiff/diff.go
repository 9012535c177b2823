package semconvdiff

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Diff is the way from one snapshot to another, older or newer one.
type Diff struct {
	From           string    `json:"from"`
	To             string    `json:"to"`
	Keys           Names     `json:"keys"` // without those of the core conventions
	Retyped        []Retyped `json:"retyped,omitempty"`
	Words          []Words   `json:"words,omitempty"`
	Spans          Names     `json:"spans"`
	TakenOff       []Off     `json:"taken_off,omitempty"` // counted on the way, and kept
	Metrics        Names     `json:"metrics"`
	Events         Names     `json:"events"`
	EventsEnded    []Ended   `json:"events_ended,omitempty"` // what holds the same, on the way to a newer one
	Levels         []Level   `json:"levels,omitempty"`
	ContentChanged []Note    `json:"content_changed,omitempty"`
}

// Names says what becomes of names of one sort.
type Names struct {
	Carried    int      `json:"carried"` // the renamed ones included
	Renamed    []Rename `json:"renamed,omitempty"`
	NotCarried []string `json:"not_carried,omitempty"`
	New        []string `json:"new,omitempty"` // those that nothing on the other side leads to
}

// Rename is a name, its successor, and on which records or data points.
type Rename struct {
	From   string              `json:"from"`
	To     string              `json:"to"`
	Where  map[string][]string `json:"where,omitempty"`
	Values map[string]string   `json:"values,omitempty"` // other words to the target's
	Drops  []string            `json:"drops,omitempty"`
	Adds   map[string]string   `json:"adds,omitempty"`
}

// Retyped is a key whose values have another type.
type Retyped struct {
	Key  string `json:"key"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Words are named values of a key that only one side names; lists are open.
type Words struct {
	Key  string   `json:"key"`
	Gone []string `json:"gone,omitempty"`
	New  []string `json:"new,omitempty"`
}

// Off lists keys that the target does not put on a span.
type Off struct {
	Kind  string              `json:"kind"`
	Where map[string][]string `json:"where"`
	Keys  []string            `json:"keys"`
}

// Level is a key of a span, metric or event that is wanted more or less.
type Level struct {
	On   string `json:"on"`
	Key  string `json:"key"`
	From string `json:"from"` // empty: it was not asked for
	To   string `json:"to"`   // empty: it is no longer asked for
}

// Note is a key that keeps its name while what it holds changed.
type Note struct {
	Key       string `json:"key"`
	Since     string `json:"since"`
	Different string `json:"different"`
}

// Ended is an event and the key or event that holds the same later.
type Ended struct {
	Event string `json:"event"`
	By    string `json:"by"`
	Since string `json:"since"`
	Brief string `json:"brief"`
}

// Compare gives the way from one listed snapshot to another.
func Compare(from, to *semconv.Snapshot) Diff {
	d := Diff{From: from.Name, To: to.Name}
	into := semconv.Into(to)
	d.keys(from, to, into)
	d.metrics(from, to, into)
	d.spans(from, to)
	d.events(from, to)
	chain := semconv.Chain()
	first, last := slices.Index(chain, from), slices.Index(chain, to)
	forward := first < last
	if !forward { // what was taken off since is on again
		first, last = last, first
	}
	since := chain[first+1 : last+1]
	for _, s := range since {
		for _, c := range s.Changes.ContentChanged {
			d.ContentChanged = append(d.ContentChanged, Note{c.Key, s.Name, c.Brief})
		}
	}
	if forward {
		for _, s := range since {
			for _, e := range s.Changes.EventsEnded {
				d.EventsEnded = append(d.EventsEnded, Ended{e.Event, e.By, s.Name, e.Brief})
			}
		}
		older := len(semconv.Into(from).TakenOff)
		for _, off := range into.TakenOff[older:] {
			d.TakenOff = append(d.TakenOff, Off{off.Kind, off.Where, off.Keys})
		}
	}
	return d
}

func (d *Diff) keys(from, to *semconv.Snapshot, into *semconv.Translation) {
	reached := map[string]bool{}
	said := map[string]bool{} // by the name of a metric on one side, by the key on the other
	for _, m := range from.Metrics {
		for _, move := range into.Metrics[m.Metric].Moves {
			for _, key := range append(sorted(move.Adds), move.Drops...) {
				said[key] = true
			}
		}
	}
	for _, a := range from.Attributes {
		if a.Core {
			continue
		}
		rule := into.Keys[a.Key]
		now := a.Key
		for _, m := range rule.Moves {
			if rule.Native && from.Attribute(m.To) != nil {
				continue // both sides have the two keys beside each other
			}
			d.Keys.Renamed = append(d.Keys.Renamed, Rename{From: a.Key, To: m.To, Where: m.Where, Values: wordsOf(a, m.Values)})
			reached[m.To] = true
			if m.Where == nil {
				now = m.To
			}
		}
		b := to.Attribute(now)
		switch {
		case b != nil:
			reached[now] = true
			d.Keys.Carried++
			if a.Type != b.Type {
				d.Retyped = append(d.Retyped, Retyped{now, a.Type, b.Type})
			}
			d.words(a, b, rule)
		case len(rule.Moves) > 0:
			d.Keys.Carried++
		case said[a.Key]:
			d.Keys.Carried++
		default:
			d.Keys.NotCarried = append(d.Keys.NotCarried, a.Key)
		}
	}
	for _, b := range to.Attributes {
		if !b.Core && !reached[b.Key] && !said[b.Key] {
			d.Keys.New = append(d.Keys.New, b.Key)
		}
	}
}

// wordsOf leaves the words that the key itself names.
func wordsOf(a semconv.Attribute, values map[string]string) map[string]string {
	out := map[string]string{}
	for _, word := range a.Values {
		if to, ok := values[word]; ok {
			out[word] = to
		}
	}
	return out
}

func (d *Diff) words(a semconv.Attribute, b *semconv.Attribute, rule semconv.KeyRule) {
	w := Words{Key: b.Key}
	led := map[string]bool{}
	for _, word := range a.Values {
		for _, m := range rule.Moves {
			if further, ok := m.Values[word]; ok && m.To == b.Key {
				word = further
			}
		}
		led[word] = true
		if !slices.Contains(b.Values, word) {
			w.Gone = append(w.Gone, word)
		}
	}
	for _, word := range b.Values {
		if !led[word] {
			w.New = append(w.New, word)
		}
	}
	if len(w.Gone)+len(w.New) > 0 {
		d.Words = append(d.Words, w)
	}
}

func (d *Diff) metrics(from, to *semconv.Snapshot, into *semconv.Translation) {
	was, is, reached := map[string]semconv.Metric{}, map[string]semconv.Metric{}, map[string]bool{}
	for _, m := range from.Metrics {
		was[m.Metric] = m
	}
	for _, m := range to.Metrics {
		is[m.Metric] = m
	}
	for _, m := range from.Metrics {
		rule := into.Metrics[m.Metric]
		for _, move := range rule.Moves {
			if _, beside := was[move.To]; beside && rule.Native {
				continue
			}
			d.Metrics.Renamed = append(d.Metrics.Renamed, Rename{From: m.Metric, To: move.To, Where: move.Where, Drops: move.Drops, Adds: move.Adds})
			reached[move.To] = true
			d.levels("metric "+move.To, m.Levels, is[move.To].Levels, into, append(sorted(move.Adds), move.Drops...)...)
		}
		switch {
		case rule.Native:
			reached[m.Metric] = true
			d.Metrics.Carried++
			d.levels("metric "+m.Metric, m.Levels, is[m.Metric].Levels, into)
		case len(rule.Moves) > 0:
			d.Metrics.Carried++
		default:
			d.Metrics.NotCarried = append(d.Metrics.NotCarried, m.Metric)
		}
	}
	for _, m := range to.Metrics {
		if !reached[m.Metric] {
			d.Metrics.New = append(d.Metrics.New, m.Metric)
		}
	}
}

func (d *Diff) spans(from, to *semconv.Snapshot) {
	into := semconv.Into(to)
	is, reached := map[string]semconv.Span{}, map[string]bool{}
	for _, s := range to.Spans {
		is[s.Span] = s
	}
	for _, s := range from.Spans {
		name := spanIn(s.Span, from, to)
		now, ok := is[name]
		if !ok {
			d.Spans.NotCarried = append(d.Spans.NotCarried, s.Span)
			continue
		}
		reached[name] = true
		d.Spans.Carried++
		if name != s.Span {
			d.Spans.Renamed = append(d.Spans.Renamed, Rename{From: s.Span, To: name})
		}
		if now.Refines == "" { // those that refine change with the one they refine
			d.levels("span "+name, s.Levels, now.Levels, into)
		}
	}
	for _, s := range to.Spans {
		if !reached[s.Span] {
			d.Spans.New = append(d.Spans.New, s.Span)
		}
	}
}

// spanIn is a span type's name in another snapshot.
func spanIn(name string, from, to *semconv.Snapshot) string {
	chain := semconv.Chain()
	i, j := slices.Index(chain, from), slices.Index(chain, to)
	for ; i < j; i++ {
		for _, r := range chain[i+1].Changes.SpansRenamed {
			if r.From == name {
				name = r.To
				break
			}
		}
	}
	for ; i > j; i-- {
		for _, r := range chain[i].Changes.SpansRenamed {
			if r.To == name {
				name = r.From
				break
			}
		}
	}
	return name
}

func (d *Diff) events(from, to *semconv.Snapshot) {
	into := semconv.Into(to)
	is := map[string]semconv.Event{}
	for _, e := range to.Events {
		is[e.Event] = e
	}
	was := map[string]bool{}
	for _, e := range from.Events {
		was[e.Event] = true
		now, ok := is[e.Event]
		if !ok {
			d.Events.NotCarried = append(d.Events.NotCarried, e.Event)
			continue
		}
		d.Events.Carried++
		if e.Signal != now.Signal && e.Signal != "" && now.Signal != "" { // the oldest models do not say
			d.Levels = append(d.Levels, Level{On: "event " + e.Event, From: e.Signal, To: now.Signal})
		}
		d.levels("event "+e.Event, e.Levels, now.Levels, into)
	}
	for _, e := range to.Events {
		if !was[e.Event] {
			d.Events.New = append(d.Events.New, e.Event)
		}
	}
}

// levels compares how much two lists want each key, except those that a name
// says instead.
func (d *Diff) levels(on string, a, b semconv.Levels, into *semconv.Translation, said ...string) {
	was, is := map[string]string{}, levelOf(b)
	for key, level := range levelOf(a) {
		for _, m := range into.Keys[key].Moves {
			if m.Where == nil {
				key = m.To
			}
		}
		was[key] = level
	}
	for _, key := range sorted(was, is) {
		if was[key] != is[key] && !slices.Contains(said, key) {
			d.Levels = append(d.Levels, Level{on, key, was[key], is[key]})
		}
	}
}

func levelOf(l semconv.Levels) map[string]string {
	out := map[string]string{}
	for _, group := range []struct {
		word string
		keys []string
	}{{"required", l.Required}, {"conditional", l.Conditional}, {"recommended", l.Recommended}, {"opt_in", l.OptIn}} {
		for _, key := range group.keys {
			out[key] = group.word
			if slices.Contains(l.Sampling, key) {
				out[key] += ", at start"
			}
		}
	}
	return out
}

func sorted[V any](maps ...map[string]V) []string {
	var out []string
	for _, m := range maps {
		for key := range m {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
