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
}

// marks says of each step what was decided, sent, stopped and judged there.
func (x *index) marks() map[*node][]Mark {
	m := map[*node][]Mark{}
	add := func(n *node, kind, text, tone string) {
		mark := Mark{kind, strings.TrimSpace(text), tone}
		if n != nil && !slices.Contains(m[n], mark) {
			m[n] = append(m[n], mark)
		}
	}
	for _, d := range x.decisions {
		at := d.at
		if len(d.calls) > 0 {
			at = d.calls[0]
		}
		word := strings.TrimSpace(d.Verdict + " " + by(d.DecidedBy))
		switch {
		case d.bypass != nil:
			add(d.bypass, MarkDecision, word+" BYPASSED", ToneBad)
		case d.refuses():
			add(at, MarkDecision, word, ToneOdd)
		default:
			add(at, MarkDecision, word, "")
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
			add(p.at, MarkControl, c.kind+" "+p.Layer+" "+p.Phase, tone)
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
			add(v.at, MarkVerdict, word, tone)
		}
	}
	return m
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
