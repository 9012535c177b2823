package evidence

import (
	"slices"
	"strings"
)

// Kinds of marks.
const (
	MarkDecision = "decision"
	MarkEffect   = "effect"
	MarkControl  = "control"
	MarkVerdict  = "verdict"
)

// Tones of marks and states; "" is none.
const (
	ToneGood = "good"
	ToneOdd  = "odd"
	ToneBad  = "bad"
	ToneDim  = "dim"
)

// Mark is what was decided, sent, stopped or judged at a step.
type Mark struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Tone string `json:"tone"`
	Time int64  `json:"-"` // when it was, 0 if only its step tells
}

// marks says of each step what was decided, sent, stopped and judged there.
func (x *index) marks() map[*node][]Mark {
	m := map[*node][]Mark{}
	addAt := func(n *node, kind, text, tone string, at int64) {
		mark := Mark{kind, strings.TrimSpace(text), tone, at}
		if n != nil && !slices.ContainsFunc(m[n], mark.says) {
			m[n] = append(m[n], mark)
		}
	}
	add := func(n *node, kind, text, tone string) { addAt(n, kind, text, tone, 0) }
	for _, d := range x.decisions {
		at := d.at
		if len(d.calls) > 0 {
			at = d.calls[0]
		}
		word := strings.TrimSpace(d.Verdict + " " + by(d.DecidedBy))
		switch {
		case d.bypass != nil:
			addAt(d.bypass, MarkDecision, word+" BYPASSED", ToneBad, d.recorded())
		case d.refuses():
			addAt(at, MarkDecision, word, ToneOdd, d.recorded())
		default:
			addAt(at, MarkDecision, word, "", d.recorded())
		}
	}
	for _, e := range x.effects {
		for _, tr := range e.tries {
			tone := ToneDim
			if tr.outcome == EffectUnknown {
				tone = ToneOdd
			}
			stages := tr.stages()
			if len(stages) == 0 {
				stages = []string{tr.outcome}
			}
			retry := ""
			if tr.relation != RelationFirst {
				retry = ", retry: " + wordsOf(tr.relation)
			}
			add(tr.owner, MarkEffect, strings.Join(stages, " ")+retry, tone)
		}
	}
	for _, c := range x.controls {
		for _, p := range c.path {
			tone := ""
			if p.failed() {
				tone = ToneBad
			}
			addAt(p.at, MarkControl, c.kind+" "+p.Layer+" "+p.Phase, tone, p.recorded())
		}
	}
	for _, v := range x.verdicts {
		tone := ToneGood
		switch {
		case v.fails():
			tone = ToneBad
		case v.open():
			tone = ToneOdd
		case v.answered:
			tone = ToneDim
		}
		word := v.Verifier + " " + v.Verdict.Verdict
		add(v.target, MarkVerdict, word, tone)
		if v.at != v.target {
			addAt(v.at, MarkVerdict, word, tone, v.recorded())
		}
	}
	return m
}

// says reports whether another mark says the same.
func (m Mark) says(o Mark) bool { return m.Kind == o.Kind && m.Text == o.Text && m.Tone == o.Tone }

// recorded is when a record states it; what a span states has the times of the span.
func (s *Source) recorded() int64 {
	if s.Record == (RecordID{}) {
		return 0
	}
	return s.Time
}

// stages are those that a try states, in the order of their statements.
func (t *try) stages() []string {
	var out []string
	for _, s := range t.said {
		if s.Stage != "" && !slices.Contains(out, s.Stage) {
			out = append(out, s.Stage)
		}
	}
	return out
}
