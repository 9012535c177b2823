package evidence

import (
	"slices"
	"sort"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Relations of a try to the one before.
const (
	RelationFirst       = "first"
	RelationSameEffect  = "same_effect"
	RelationSameRequest = "same_request_unproven"
	RelationNewEffect   = "new_effect"
)

// try is one attempt at an effect.
type try struct {
	effect   *effect
	number   int64 // stated or counted
	counted  bool  // the number is not stated
	owner    *node // call, else the first step that states a stage of it
	said     []said
	start    int64
	end      int64
	key      string
	request  string
	outcome  string // a state of the try alone
	relation string
}

// addTries groups the statements of an effect into tries: by stated number,
// else by the execute_tool they are made for; a stage that neither has goes to
// the try that was under way.
func (e *effect) addTries() {
	byNumber, byOwner := map[int64]*try{}, map[*node]*try{}
	var loose []said
	for _, s := range e.said {
		call := s.owner != nil && s.owner.isTool()
		if s.Stage == "" && (e.stated || !call) {
			continue // an edge, not a try
		}
		if s.Attempt == 0 && (!call || s.after() && byOwner[s.owner] == nil) {
			loose = append(loose, s)
			continue
		}
		var t *try
		if call {
			t = byOwner[s.owner]
		}
		if s.Attempt != 0 && (t == nil || t.number != s.Attempt) {
			t = byNumber[s.Attempt]
		}
		if t == nil {
			t = &try{effect: e, number: s.Attempt, counted: s.Attempt == 0}
			e.tries = append(e.tries, t)
		}
		if s.Attempt != 0 {
			byNumber[s.Attempt] = t
		}
		if call {
			byOwner[s.owner] = t
		}
		t.add(s)
	}
	e.sortTries()
	for _, s := range loose {
		e.addLoose(s)
	}
	e.sortTries()
	next := int64(1)
	for _, t := range e.tries {
		if t.counted {
			t.number = next
		}
		next = max(next, t.number) + 1
	}
	slices.SortStableFunc(e.tries, func(a, b *try) int { return compareInts(a.number, b.number) })
	e.findClash()
}

// after reports whether the stage comes after a try: checking or undoing an
// effect is not another attempt at it.
func (s *said) after() bool {
	return s.Stage == semconv.AppEffectStageVerified || s.Stage == semconv.AppEffectStageCompensated
}

func (e *effect) sortTries() {
	slices.SortStableFunc(e.tries, func(a, b *try) int {
		if a.start != b.start {
			return compareInts(a.start, b.start)
		}
		return compareInts(a.number, b.number)
	})
}

func (t *try) add(s said) {
	begin, end := s.Time, s.Time
	if s.owner != nil && (t.owner == nil || t.owner == s.owner) {
		begin, end = min(begin, s.owner.span.Start), max(end, s.owner.span.End)
	}
	if len(t.said) == 0 || begin < t.start {
		t.start = begin
	}
	t.end = max(t.end, end)
	if t.owner == nil || !t.owner.isTool() && s.owner != nil && s.owner.isTool() && !s.after() {
		t.owner = s.owner
	}
	fill(&t.key, s.IdempotencyKey)
	fill(&t.request, s.RequestDigest)
	t.said = append(t.said, s)
}

func (t *try) has(stage string) bool {
	return slices.ContainsFunc(t.said, func(s said) bool { return s.Stage == stage })
}

// addLoose gives a stage without number and call to the latest try that had
// begun. Sending again begins a new one.
func (e *effect) addLoose(s said) {
	at := sort.Search(len(e.tries), func(i int) bool { return e.tries[i].start > s.Time }) - 1
	begins := s.Stage == semconv.AppEffectStageIntent || s.Stage == semconv.AppEffectStageDispatched
	open := func(t *try) bool {
		return !t.has(s.Stage) && (s.Stage == semconv.AppEffectStageDispatched || !t.has(semconv.AppEffectStageDispatched))
	}
	switch {
	case at < 0 && len(e.tries) > 0 && (!begins || open(e.tries[0])):
		e.tries[0].add(s)
	case at >= 0 && (!begins || open(e.tries[at])):
		e.tries[at].add(s)
	case at >= 0 && at+1 < len(e.tries) && open(e.tries[at+1]):
		e.tries[at+1].add(s)
	default:
		t := &try{effect: e, counted: true}
		t.add(s)
		i := len(e.tries)
		for i > 0 && e.tries[i-1].start > t.start {
			i--
		}
		e.tries = slices.Insert(e.tries, i, t)
	}
}

// findClash notes one stage of one try that is stated with different content.
func (e *effect) findClash() {
	for _, t := range e.tries {
		if len(t.said) < 2 {
			continue
		}
		digests := map[string]string{}
		for _, s := range t.said {
			for k, d := range map[string]string{"q" + s.Stage: s.RequestDigest, "r" + s.Stage: s.ResultDigest, "i" + s.Stage: s.ReceiptID} {
				if d == "" {
					continue
				}
				if old := digests[k]; old != "" && old != d {
					e.clash = true
				}
				digests[k] = d
			}
		}
	}
}

// step returns the span that a reviewer should look at: the failed client
// below the failed call, or below that client, if there is one, else the call.
func (t *try) step() *node {
	if t.owner == nil {
		return nil
	}
	if t.owner.failed && t.owner.isTool() {
		return t.owner.deepestClient()
	}
	if t.owner.failed {
		return t.owner
	}
	for _, s := range t.said {
		if s.at != nil && s.at.failed {
			return s.at
		}
	}
	return t.owner
}

// deepestClient follows failed clients down from a failed call.
func (n *node) deepestClient() *node {
	for depth := 0; depth < 8; depth++ {
		i := slices.IndexFunc(n.children, func(c *node) bool { return c.failed && c.isClient() })
		if i < 0 {
			break
		}
		n = n.children[i]
	}
	return n
}

// relateTries compares every try with the one it repeats.
func (x *index) relateTries() {
	type place struct {
		task         TaskID
		tool, target string
	}
	var all []*try
	byStep := make([]*try, len(x.nodes))
	for _, e := range x.effects {
		for _, t := range e.tries {
			all = append(all, t)
			for _, s := range t.said {
				if s.at != nil && byStep[s.at.at] == nil {
					byStep[s.at.at] = t
				}
				if s.owner != nil {
					byStep[s.owner.at] = t
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *try) int { return compareInts(a.start, b.start) })
	last := make(map[place]*try, len(x.effects))
	for _, t := range all {
		var prev *try
		p := place{t.effect.task, t.effect.tool, t.effect.target}
		same := t.before(t.number - 1)
		linked := retried(t, byStep)
		earlier := last[p]
		switch {
		case same != nil:
			prev = same
		case linked != nil:
			prev = linked
		case earlier != nil && (!t.counted && t.number > 1 || !earlier.worked()):
			prev = earlier
		default:
			prev = t.before(0)
		}
		t.relation = relation(prev, t)
		if p.tool != "" && p.target != "" {
			last[p] = t
		}
	}
}

// before returns the try of the same effect with a number, or with the highest
// number below t's if the number is 0. Tries are in the order of their numbers.
func (t *try) before(number int64) *try {
	all := t.effect.tries
	i := sort.Search(len(all), func(i int) bool { return all[i].number >= t.number })
	switch {
	case i == 0 || number != 0 && all[i-1].number != number:
		return nil
	}
	return all[i-1]
}

func (t *try) worked() bool {
	switch t.outcome {
	case EffectConfirmed, EffectReported, EffectCompensated:
		return true
	}
	return false
}

func retried(t *try, byStep []*try) *try {
	for _, s := range t.said {
		for _, n := range []*node{s.at, s.owner} {
			if n == nil {
				continue
			}
			for _, e := range n.to {
				if o := byStep[e.step.at]; e.relation == semconv.AppLinkRelationRetries && o != nil && o != t {
					return o
				}
			}
		}
	}
	return nil
}

func relation(prev, t *try) string {
	switch {
	case prev == nil:
		return RelationFirst
	case prev.key != "" && prev.key == t.key:
		return RelationSameEffect
	case prev.key == "" && t.key == "" && prev.request != "" && prev.request == t.request:
		return RelationSameRequest
	}
	return RelationNewEffect
}
