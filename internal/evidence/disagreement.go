package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// series are the verdicts of one verifier in one version on one subject.
type series struct{ subject, verifier, version string }

// compareVerdicts finds verdicts that a later one of the same verifier and
// version answers, and verdicts that contradict each other or a claim.
func (x *index) compareVerdicts() {
	said := map[series]*history{}
	for _, v := range x.verdicts {
		s := series{v.subject, v.Verifier, v.Version}
		if said[s] == nil {
			said[s] = &history{last: map[metricVerdict]int64{}, at: map[metricTime]uint8{}}
		}
		said[s].note(v)
	}
	for _, v := range x.verdicts {
		said[series{v.subject, v.Verifier, v.Version}].judge(v)
	}
	x.doubtVerdicts()
	bySubject := map[string][]*verdict{}
	for _, v := range x.verdicts {
		if v.fails() || v.passes() {
			bySubject[v.subject] = append(bySubject[v.subject], v)
		}
	}
	for _, all := range bySubject {
		markDisagreement(all)
	}
	for _, v := range x.verdicts {
		if v.fails() && x.completedAbove(v.task) {
			v.denies = true
		}
	}
}

// history is what a series said and when. A verdict without a metric speaks for
// all of them.
type history struct {
	last map[metricVerdict]int64 // latest time
	at   map[metricTime]uint8    // which verdicts at a time
}

type metricVerdict struct {
	metric  string
	verdict uint8
}

type metricTime struct {
	metric string
	time   int64
}

const (
	saidPass uint8 = 1 << iota
	saidFail
	anyMetric = "\x00" // all metrics together
)

func verdictBit(v string) uint8 {
	switch v {
	case semconv.AppVerifierVerdictPass:
		return saidPass
	case semconv.AppVerifierVerdictFail:
		return saidFail
	}
	return 0
}

func (h *history) note(v *verdict) {
	bit := verdictBit(v.Verdict.Verdict)
	if bit == 0 {
		return
	}
	for _, m := range []string{v.Metric, anyMetric} {
		if t, ok := h.last[metricVerdict{m, bit}]; !ok || v.Time > t {
			h.last[metricVerdict{m, bit}] = v.Time
		}
		h.at[metricTime{m, v.Time}] |= bit
	}
}

// judge marks a verdict that a later, other one answers: a failure by a pass, a
// pass that is taken back by a failure, an unknown by either.
func (h *history) judge(v *verdict) {
	own := verdictBit(v.Verdict.Verdict)
	metrics := []string{v.Metric, ""}
	if v.Metric == "" {
		metrics = []string{anyMetric}
	}
	for _, m := range metrics {
		for _, other := range []uint8{saidPass, saidFail} {
			if t, ok := h.last[metricVerdict{m, other}]; ok && other != own && t > v.Time {
				v.answered = true
			}
		}
		switch others := h.at[metricTime{m, v.Time}] &^ own; {
		case others != 0 && own != 0:
			v.clash = true
		case others != 0:
			v.answered = true
		}
	}
}

// doubtVerdicts marks failing verdicts that a later pass may answer: both could
// come from one verifier in one version, but one of them does not say so much.
func (x *index) doubtVerdicts() {
	passes := map[string][]*verdict{}
	for _, v := range x.verdicts {
		subject := v.subject
		if v.SubjectID == "" && v.target == nil && !v.whole {
			subject = "" // what it is about is not stated
		}
		if all := passes[subject]; v.passes() && len(all) < maxDoubts {
			passes[subject] = append(all, v)
		}
	}
	for _, v := range x.verdicts {
		if !v.fails() {
			continue
		}
		for _, p := range passes[v.subject] {
			v.doubt = v.doubt || p.Time >= v.Time && v.maybeBy(p) && (v.Verifier != p.Verifier || v.Version != p.Version)
		}
		for _, p := range passes[""] {
			v.doubt = v.doubt || p != v && p.Time >= v.Time && v.maybeBy(p)
		}
	}
}

// maxDoubts bounds how many passes on one subject are looked at.
const maxDoubts = 64

// maybeBy reports whether two verdicts can come from one verifier in one version.
func (v *verdict) maybeBy(o *verdict) bool {
	either := func(a, b string) bool { return a == b || a == "" || b == "" }
	return either(v.Verifier, o.Verifier) && either(v.Version, o.Version) && either(v.Metric, o.Metric)
}

func markDisagreement(all []*verdict) {
	type who struct{ verifier, version string }
	passed, failed := map[who]bool{}, map[who]bool{}
	for _, v := range all {
		if v.passes() {
			passed[who{v.Verifier, v.Version}] = true
		} else {
			failed[who{v.Verifier, v.Version}] = true
		}
	}
	other := func(set map[who]bool, w who) bool {
		return len(set) > 1 || len(set) == 1 && !set[w]
	}
	for _, v := range all {
		w := who{v.Verifier, v.Version}
		if v.passes() && other(failed, w) || v.fails() && other(passed, w) {
			v.disagree = true
		}
	}
}
