package semconv

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
)

// loadChain reads every snapshot and puts each behind the one it follows.
func loadChain() ([]*Snapshot, error) {
	entries, err := fs.ReadDir(files, "snapshots")
	if err != nil {
		return nil, err
	}
	next := map[string]*Snapshot{} // by Follows
	for _, e := range entries {
		s, err := load[Snapshot]("snapshots/" + e.Name())
		if err != nil {
			return nil, err
		}
		if want := strings.TrimSuffix(e.Name(), ".yaml"); s.Name != want {
			return nil, fmt.Errorf("snapshots/%s: snapshot must be %s, found %q", e.Name(), want, s.Name)
		}
		if other := next[s.Follows]; other != nil {
			return nil, fmt.Errorf("snapshots/%s: follows %q, which %s does too", e.Name(), s.Follows, other.Name)
		}
		next[s.Follows] = s
	}
	var chain []*Snapshot
	for s := next[""]; s != nil; s = next[s.Name] {
		s.index = len(chain)
		s.keys = make(map[string]*Attribute, len(s.Attributes))
		for i := range s.Attributes {
			s.keys[s.Attributes[i].Key] = &s.Attributes[i]
		}
		chain = append(chain, s)
	}
	if len(chain) != len(entries) {
		return nil, errors.New("snapshots: follows must join all of them to one chain")
	}
	for _, s := range chain {
		s.Renamed = lineage{chain}.renamedInto(s)
		s.Retired = retiredBy(chain, s)
	}
	return chain, nil
}

func retiredBy(chain []*Snapshot, s *Snapshot) []Attribute {
	var out []Attribute
	for _, earlier := range chain[:s.index+1] {
		for _, a := range earlier.RetiredHere {
			if s.keys[a.Key] == nil {
				out = append(out, a)
			}
		}
	}
	return out
}

// lineage follows names along the chain. Level -1 stands for the conventions
// before the oldest snapshot, of which only the aliases are known.
type lineage struct{ chain []*Snapshot }

// renames are the steps from level-1 to level.
func (l lineage) renames(level int) []Rename {
	if level == 0 {
		return l.chain[0].Aliases
	}
	return l.chain[level].Changes.Renamed
}

func (l lineage) alive(key string, level int) bool {
	if level >= 0 {
		return l.chain[level].keys[key] != nil
	}
	for _, a := range l.chain[0].Aliases {
		if a.From == key {
			return true
		}
	}
	return false
}

// birth is the first level that has the key.
func (l lineage) birth(key string) (level int, ok bool) {
	for level = -1; level < len(l.chain); level++ {
		if l.alive(key, level) {
			return level, true
		}
	}
	return 0, false
}

// moves lists where a key goes in the snapshot of level goal: under its
// conditions first, unconditionally last. A key that stays moves to itself.
func (l lineage) moves(key string, goal int) []Move {
	level, ok := l.birth(key)
	switch {
	case !ok:
		return nil
	case level <= goal:
		return l.forward(Move{To: key}, level, goal)
	default:
		return l.backward(Move{To: key}, level, goal)
	}
}

func (l lineage) forward(m Move, level, goal int) []Move {
	if level == goal {
		return []Move{m}
	}
	var bound, free []Move
	stays := Move{To: m.To, Values: m.Values, Where: m.Where}
	for _, r := range l.renames(level + 1) {
		switch {
		case r.From != m.To:
		case r.To == r.From: // words only
			stays.Values = compose(m.Values, r.Values)
		case r.Where != nil:
			bound = append(bound, l.forward(m.along(r.To, r.Values, r.Where), level+1, goal)...)
		default:
			free = append(free, l.forward(m.along(r.To, r.Values, nil), level+1, goal)...)
		}
	}
	if l.alive(m.To, level+1) {
		free = append(l.forward(stays, level+1, goal), free...)
	}
	return append(bound, free...)
}

func (l lineage) backward(m Move, level, goal int) []Move {
	if level == goal {
		return []Move{m}
	}
	if l.alive(m.To, level-1) {
		return l.backward(m, level-1, goal)
	}
	var out []Move
	for _, r := range l.renames(level) {
		if r.To == m.To && r.From != r.To {
			out = append(out, l.backward(m.along(r.From, invert(r.Values), r.Where), level-1, goal)...)
		}
	}
	return out
}

func (m Move) along(to string, values map[string]string, where Where) Move {
	return Move{To: to, Values: compose(m.Values, values), Where: both(m.Where, where)}
}

// compose gives the words of two renames after each other.
func compose(first, second map[string]string) map[string]string {
	if len(second) == 0 {
		return first
	}
	out := maps.Clone(second)
	for from, to := range first {
		if further, ok := second[to]; ok {
			to = further
		}
		out[from] = to
	}
	return out
}

func invert(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for from, to := range values {
		out[to] = from
	}
	return out
}

func both(a, b Where) Where {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// renamedInto lists the unconditional renames, in the order of the files.
func (l lineage) renamedInto(s *Snapshot) []Rename {
	var out []Rename
	seen := map[string]bool{}
	visit := func(key string) {
		if seen[key] || s.keys[key] != nil {
			return
		}
		seen[key] = true
		for _, m := range l.moves(key, s.index) {
			if m.Where == nil {
				out = append(out, Rename{From: key, To: m.To, Values: m.Values})
			}
		}
	}
	for _, a := range l.chain[0].Aliases {
		visit(a.From)
	}
	for _, other := range l.chain {
		for _, a := range other.Attributes {
			visit(a.Key)
		}
	}
	return out
}
