package semconv

import "slices"

// Translation says how every name of every listed snapshot is spelt in one of
// them, the goal. It does not depend on which snapshot a record follows: a name
// means the same in all that have it.
type Translation struct {
	Goal       *Snapshot
	Keys       map[string]KeyRule // without those of the core conventions
	Metrics    map[string]MetricRule
	Events     map[string]bool // whether the goal has it
	Operations map[string]bool
	TakenOff   []SpanRule
}

// KeyRule is what becomes of one key. Without a move whose conditions hold, a
// native key stays and any other cannot be carried.
type KeyRule struct {
	Native bool
	Words  map[string]string // native: other snapshots' words of this key, one to one
	Type   string            // native: the goal's type, if another snapshot has it as another
	Moves  []Move            // those with conditions first
}

// Move is a key's way into the goal.
type Move struct {
	To     string
	Values map[string]string // other words to the goal's
	Where  Where
}

// MetricRule is what becomes of one metric's data points.
type MetricRule struct {
	Native     bool
	Instrument string // a metric of another kind is not this one
	Moves      []MetricMove
}

// MetricMove is a metric's way into the goal for the data points under Where.
type MetricMove struct {
	To    string
	Where Where
	Drops []string          // attributes that the new name says
	Adds  map[string]string // attributes that the old name said
}

// SpanRule lists keys that the goal does not put on the spans that it describes.
type SpanRule struct {
	Kind  string
	Where Where
	Keys  []string
}

// Into computes the translation into a listed snapshot.
func Into(goal *Snapshot) *Translation {
	l := lineage{Chain()}
	t := &Translation{
		Goal: goal, Keys: map[string]KeyRule{}, Metrics: map[string]MetricRule{},
		Events: map[string]bool{}, Operations: map[string]bool{},
	}
	l.keyRules(t)
	for _, s := range l.chain {
		for _, m := range s.Metrics {
			if _, done := t.Metrics[m.Metric]; !done {
				r := l.metricRule(m.Metric, s.index, goal.index)
				r.Instrument = m.Instrument
				t.Metrics[m.Metric] = r
			}
		}
		for _, e := range s.Events {
			t.Events[e.Event] = t.Events[e.Event] || s == goal
		}
		for _, e := range s.Changes.EventsEnded {
			t.Events[e.Event] = t.Events[e.Event] || false
		}
		for _, o := range s.Operations {
			t.Operations[o.Operation] = t.Operations[o.Operation] || s == goal
		}
	}
	t.TakenOff = l.takenOff(goal)
	return t
}

func (l lineage) keyRules(t *Translation) {
	words := map[string]map[string]string{}
	types := map[string]bool{} // goal keys that have more than one type
	all := map[string][]Move{}
	visit := func(key, typ string) {
		if _, done := all[key]; !done {
			all[key] = l.moves(key, t.Goal.index)
		}
		for _, m := range all[key] {
			words[m.To] = compose(m.Values, words[m.To])
			if typ != "" && t.Goal.keys[m.To].Type != typ {
				types[m.To] = true
			}
		}
	}
	for _, a := range l.chain[0].Aliases {
		visit(a.From, "")
	}
	for _, s := range l.chain {
		for _, a := range s.Attributes {
			if !a.Core { // valid whatever the snapshot
				visit(a.Key, a.Type)
			}
		}
	}
	for key, moves := range all {
		var r KeyRule
		for _, m := range moves {
			if m.To == key && m.Where == nil {
				r.Native, r.Words = true, oneToOne(words[key])
				if types[key] {
					r.Type = t.Goal.keys[key].Type
				}
				continue
			}
			m.Values = compose(m.Values, oneToOne(words[m.To]))
			r.Moves = append(r.Moves, m)
		}
		t.Keys[key] = r
	}
}

// oneToOne leaves out words that fold together: they may only be folded where
// the source stays.
func oneToOne(values map[string]string) map[string]string {
	times := map[string]int{}
	for _, to := range values {
		times[to]++
	}
	out := map[string]string{}
	for from, to := range values {
		if times[to] == 1 && from != to {
			out[from] = to
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (l lineage) metricRule(name string, birth, goal int) MetricRule {
	var r MetricRule
	var moves []MetricMove
	if birth <= goal {
		moves = l.metricForward(MetricMove{To: name}, birth, goal)
	} else {
		moves = l.metricBackward(MetricMove{To: name}, birth, goal)
	}
	for _, m := range moves {
		if m.To == name {
			r.Native = true
			continue
		}
		r.Moves = append(r.Moves, m)
	}
	return r
}

func (s *Snapshot) hasMetric(name string) bool {
	return slices.ContainsFunc(s.Metrics, func(m Metric) bool { return m.Metric == name })
}

func (l lineage) metricForward(m MetricMove, level, goal int) []MetricMove {
	if level == goal {
		return []MetricMove{m}
	}
	var out []MetricMove
	next := l.chain[level+1]
	for _, r := range next.Changes.MetricsRenamed {
		if r.From == m.To {
			step := MetricMove{To: r.To, Where: both(m.Where, r.Where), Drops: append(slices.Clone(m.Drops), r.Drops...), Adds: m.Adds}
			out = append(out, l.metricForward(step, level+1, goal)...)
		}
	}
	if next.hasMetric(m.To) {
		out = append(out, l.metricForward(m, level+1, goal)...)
	}
	return out
}

func (l lineage) metricBackward(m MetricMove, level, goal int) []MetricMove {
	if level == goal {
		return []MetricMove{m}
	}
	if l.chain[level-1].hasMetric(m.To) {
		return l.metricBackward(m, level-1, goal)
	}
	var out []MetricMove
	for _, r := range l.chain[level].Changes.MetricsRenamed {
		if r.To == m.To {
			out = append(out, l.metricBackward(m.undo(r), level-1, goal)...)
		}
	}
	return out
}

// undo goes back over a rename: what its name said is an attribute again.
func (m MetricMove) undo(r MetricRename) MetricMove {
	back := MetricMove{To: r.From, Where: Where{}, Drops: m.Drops, Adds: map[string]string{}}
	for key, words := range both(m.Where, r.Where) {
		if slices.Contains(r.Drops, key) {
			back.Adds[key] = words[0]
		} else {
			back.Where[key] = words
		}
	}
	for key, word := range m.Adds {
		back.Adds[key] = word
	}
	return back
}

func (l lineage) takenOff(goal *Snapshot) []SpanRule {
	var out []SpanRule
	for _, s := range l.chain[:goal.index+1] {
		for _, off := range s.Changes.TakenOff {
			r := SpanRule{Where: off.Where}
			for _, sp := range s.Spans {
				if sp.Span == off.Span {
					r.Kind = sp.Kind
				}
			}
			for _, key := range off.Keys {
				for _, m := range l.forward(Move{To: key}, s.index, goal.index) {
					if m.Where == nil {
						r.Keys = append(r.Keys, m.To)
					}
				}
			}
			out = append(out, r)
		}
	}
	return out
}
