package judge

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"slices"
	"time"
	"unique"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func sortHeld(all []*Held) {
	slices.SortFunc(all, func(a, b *Held) int { return cmp.Compare(a.Seq, b.Seq) })
}

// snapshot is what a memory remembers, as it is kept over a restart.
type snapshot struct {
	Targets  []savedTarget
	Opinions []savedOpinion
	Claims   []savedClaim
	Counted  []savedKey
	Failures []savedFailure
}

type savedFailure struct {
	At                        savedKey
	ID, Target                evidence.StepID
	Kind, Subject             string
	Task, Parent, Root        string
	Verifier, Version, Metric string
	Start, End                int64
	None                      bool // all were told of the claim
}

type savedKey struct {
	Key   [16]byte
	Since uint32
}

type savedTarget struct {
	At    savedKey
	Trace [16]byte
	Span  [8]byte
	Many  bool
}

type savedOpinion struct {
	At                        savedKey
	Verifier, Version, Metric string
	Pass                      bool
	Time                      int64
}

type savedClaim struct {
	At   savedKey
	By   string
	Time int64
}

// Changed encodes what was noted at or after a time; all of it for the zero time.
func (m *Memory) Changed(since time.Time) ([]byte, error) {
	var s snapshot
	from := uint32(max(since.Unix(), 0))
	each(m.targets, from, func(k savedKey, t target) {
		s.Targets = append(s.Targets, savedTarget{k, t.step.Trace, t.step.Span, t.many})
	})
	each(m.opinions, from, func(k savedKey, all []opinion) {
		for _, o := range all {
			s.Opinions = append(s.Opinions, savedOpinion{k, o.verifier.Value(), o.version.Value(), o.metric.Value(), o.pass, o.time})
		}
	})
	each(m.claims, from, func(k savedKey, c claim) {
		saved := savedClaim{At: k, Time: c.time}
		if c.time != 0 {
			saved.By = c.by.Value()
		}
		s.Claims = append(s.Claims, saved)
	})
	each(m.counted, from, func(k savedKey, _ struct{}) { s.Counted = append(s.Counted, k) })
	each(m.failures, from, func(k savedKey, all []failure) {
		if len(all) == 0 {
			s.Failures = append(s.Failures, savedFailure{At: k, None: true})
		}
		for _, f := range all {
			s.Failures = append(s.Failures, savedFailure{k, f.id, f.target, f.subjectKind, f.subjectID, f.task, f.parent, f.root,
				f.verifier.Value(), f.version.Value(), f.metric.Value(), f.start, f.end, false})
		}
	})
	if len(s.Targets)+len(s.Opinions)+len(s.Claims)+len(s.Counted)+len(s.Failures) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

// Restore adds what Changed wrote.
func (m *Memory) Restore(data []byte) error {
	var s snapshot
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return fmt.Errorf("remembered targets: %w", err)
	}
	for _, t := range s.Targets {
		m.targets.put(t.At.Key, target{evidence.StepID{Trace: t.Trace, Span: t.Span}, t.Many}, t.At.when())
	}
	for _, o := range s.Opinions {
		all, _ := m.opinions.get(o.At.Key, time.Time{})
		m.opinions.put(o.At.Key, remember(all, opinion{unique.Make(o.Verifier), unique.Make(o.Version), unique.Make(o.Metric), o.Pass, o.Time}), o.At.when())
	}
	for _, c := range s.Claims {
		m.claims.put(c.At.Key, claim{unique.Make(c.By), c.Time}, c.At.when())
	}
	var last key
	for i, f := range s.Failures {
		var all []failure
		if i > 0 && last == f.At.Key {
			all, _ = m.failures.get(f.At.Key, time.Time{})
		}
		if last = f.At.Key; !f.None {
			all = append(all, failure{f.ID, f.Target, f.Kind, f.Subject, f.Task, f.Parent, f.Root,
				unique.Make(f.Verifier), unique.Make(f.Version), unique.Make(f.Metric), f.Start, f.End})
		}
		m.failures.put(f.At.Key, all, f.At.when())
	}
	for _, k := range s.Counted {
		m.counted.put(k.Key, struct{}{}, k.when())
	}
	return nil
}

func (k savedKey) when() time.Time { return time.Unix(int64(k.Since), 0) }

func each[T any](r *ring[T], from uint32, yield func(savedKey, T)) {
	for i := range r.slots {
		if s := &r.slots[i]; s.used && s.since >= from {
			yield(savedKey{s.key, s.since}, s.value)
		}
	}
}
