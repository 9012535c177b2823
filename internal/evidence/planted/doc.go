// Package planted makes runs whose truth is known: several linked traces of
// several agents, with one fault planted in them, or none, or one that the
// evidence cannot decide. Tests hold the attribution against that truth.
//
// Words:
//
//   - incident: a run together with what a reviewer must be told about it
//   - fault: what is planted: one step, of one agent, in one layer and class
//   - decoy: something that looks wrong and is not: contained, made good, undone,
//     denied and blocked, or stopped as asked
//   - carrier: how a fact is stated: by the span itself, by an event of it, or by a
//     log record in its context
//
// Equal seeds give equal incidents. The package judges nothing and knows nothing
// of how attribution works: it only follows the words of the evidence model.
package planted

import "github.com/otelcol-agent/otelcol-agent/internal/evidence"

// Truth is what a reviewer must be told.
type Truth struct {
	Result string // step, clean or unknown
	Step   evidence.StepID
	Task   string
	Agent  string
	Layer  string
	Class  string
	Proved bool
}

// Incident is a run whose truth is known.
type Incident struct {
	Name   string // what was planted
	Run    evidence.Run
	Truth  Truth
	Faults map[evidence.StepID]bool // all steps that something was planted at; Truth names the first
	Decoys Decoys
	Traces int
	Agents int
}

// Decoys are the steps and records of decoys: without all of them, what looks
// wrong may be wrong.
type Decoys struct {
	Steps   map[evidence.StepID]bool
	Records map[evidence.RecordID]bool
}

// plan says what can be planted.
type plan struct {
	name  string
	plant func(b *builder)
	// skew: no time is compared between traces, so clocks may differ.
	skew bool
}

// New makes the incident of a seed.
func New(seed uint64) Incident {
	all := plans()
	return build(all[seed%uint64(len(all))], seed)
}

// Kinds is the number of different things that are planted; seeds 0 to Kinds-1 have one of each.
func Kinds() int { return len(plans()) }

// Unrelated makes a clean run that shares nothing with the incident of a seed.
func Unrelated(seed uint64) evidence.Run {
	b := newBuilder(seed, &dice{^seed}, "other")
	b.clean()
	return b.finish("unrelated").Run
}

func build(p plan, seed uint64) Incident {
	b := newBuilder(seed, &dice{seed}, "t")
	p.plant(b)
	if p.skew && b.chance(3) {
		b.skewClocks()
	}
	return b.finish(p.name)
}

func plans() []plan {
	var out []plan
	out = append(out, faults()...)
	out = append(out, undecidable()...)
	return append(out, cleanPlans()...)
}
