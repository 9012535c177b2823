package mapping

import "slices"

// caseIndex picks the cases of a block that may hold: by the word of one source,
// which most dialects decide nearly everything by, and by what the scope and the
// resource leave possible. The order stays that of the file.
type caseIndex struct {
	src    *source // nil if no word is asked for often
	byWord map[string]*casePlan
	other  *casePlan // for every other word
}

// casePlan is a list of cases; a scratch keeps the part of it that the current
// scope leaves.
type casePlan struct {
	id    int32
	cases []int16
}

// minIndexed is the number of cases from which an index pays.
const minIndexed = 4

func (t *Tables) newPlan() *casePlan {
	t.plans++
	return &casePlan{id: int32(t.plans - 1)}
}

func (t *Tables) newCaseIndex(cases []block) *caseIndex {
	x := &caseIndex{src: mostAsked(cases), byWord: map[string]*casePlan{}, other: t.newPlan()}
	if x.src != nil {
		for i := range cases {
			for _, word := range cases[i].wordsOf(x.src) {
				if x.byWord[word] == nil {
					x.byWord[word] = t.newPlan()
				}
			}
		}
	}
	for i := range cases {
		words := cases[i].wordsOf(x.src)
		for word, plan := range x.byWord {
			if words == nil || contains(words, word) {
				plan.cases = append(plan.cases, int16(i))
			}
		}
		if words == nil {
			x.other.cases = append(x.other.cases, int16(i))
		}
	}
	x.setRest(cases)
	return x
}

// mostAsked is the attribute whose word the most cases want; nil if few do.
func mostAsked(cases []block) *source {
	times := map[int32]int{}
	var best *source
	for i := range cases {
		for j := range cases[i].when {
			t := &cases[i].when[j]
			if t.src.kind != fromAttribute || t.is == nil {
				continue
			}
			times[t.src.key]++
			if best == nil || times[t.src.key] > times[best.key] {
				best = &t.src
			}
		}
	}
	if best == nil || times[best.key] < minIndexed {
		return nil
	}
	return best
}

// wordsOf are the words that the case wants of the source, nil if it does not
// ask.
func (b *block) wordsOf(src *source) []string {
	if src == nil {
		return nil
	}
	for i := range b.when {
		t := &b.when[i]
		if t.asks(src) {
			return t.is
		}
		if words := wordsOfAny(t.any, src); words != nil {
			return words
		}
	}
	return nil
}

// asks reports whether the condition wants words of the source.
func (t *test) asks(src *source) bool {
	return t.any == nil && t.src.kind == src.kind && t.src.key == src.key && t.is != nil
}

// wordsOfAny are the words of all lists if each of them wants some.
func wordsOfAny(any [][]test, src *source) (words []string) {
	for _, all := range any {
		i := slices.IndexFunc(all, func(t test) bool { return t.asks(src) })
		if i < 0 {
			return nil
		}
		words = append(words, all[i].is...)
	}
	return words
}

// runCases runs the cases of a block.
func (s *scratch) runCases(b *block) {
	x := b.index
	if x == nil {
		for i := range b.cases {
			s.run(&b.cases[i])
		}
		return
	}
	plan := x.other
	if x.src != nil {
		word, _, _ := s.word(x.src)
		if p, ok := x.byWord[word]; ok {
			plan = p
		}
	}
	live := s.livePlan(b, plan)
	for i := range live {
		l := &live[i]
		if !s.mayHold(l.keys) {
			continue
		}
		if c := &b.cases[l.at]; s.matches(c.rest) {
			s.runBlock(c)
		}
	}
}

// setRest leaves out of each case's conditions what the plan has looked at: the
// word, and what the scope and the resource decide.
func (x *caseIndex) setRest(cases []block) {
	for i := range cases {
		asked := false
		for _, t := range cases[i].when {
			if !asked && x.src != nil && t.asks(x.src) && t.plain && t.present == 0 {
				asked = true
				continue
			}
			if t.constant == 0 {
				cases[i].rest = append(cases[i].rest, t)
			}
		}
	}
}

// livePlan leaves out the cases that the scope or the resource rules out; it
// looks once a scope.
func (s *scratch) livePlan(b *block, plan *casePlan) []liveCase {
	live := &s.plans[plan.id]
	if live.scope == s.scopeGen {
		return live.cases
	}
	live.scope, live.cases = s.scopeGen, live.cases[:0]
	for _, i := range plan.cases {
		if s.possible(b.cases[i].when) {
			live.cases = append(live.cases, liveCase{b.cases[i].keys, i})
		}
	}
	return live.cases
}

type livePlan struct {
	scope uint32
	cases []liveCase
}

// liveCase is what is looked at first of a case.
type liveCase struct {
	keys neededKeys
	at   int16
}

// possible reports whether no condition on the scope or the resource fails.
func (s *scratch) possible(when []test) bool {
	for i := range when {
		t := &when[i]
		if t.constant != 0 && s.hoistedTest(t) == saidNo || t.any != nil && !s.anyPossible(t.any) {
			return false
		}
	}
	return true
}

func (s *scratch) anyPossible(any [][]test) bool {
	for _, all := range any {
		if s.possible(all) {
			return true
		}
	}
	return false
}
