package synth

import (
	"cmp"
	"encoding/json"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	flagOpened uint16 = 1 << iota
	flagClosed
	flagFailed
	flagImplied
	flagLoose
	flagTaken
	flagDirty
	flagSent
	flagMarked
)

func (a *act) flags() map[uint16]*bool {
	return map[uint16]*bool{
		flagOpened: &a.opened, flagClosed: &a.closed, flagFailed: &a.failed, flagImplied: &a.implied, flagLoose: &a.loose,
		flagTaken: &a.taken, flagDirty: &a.dirty, flagSent: &a.sent, flagMarked: &a.marked,
	}
}

func (t *turn) freeze() []byte {
	td := ptrace.NewTraces()
	t.res.attrs.CopyTo(td.ResourceSpans().AppendEmpty().Resource().Attributes())
	raw, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	f := frozenTurn{
		Trace: t.key.trace, Group: t.key.group, Derived: t.derived, Tenant: t.tenant, Dialect: t.dialect, Session: t.session, TurnID: t.turnID,
		Resource: raw, URL: t.res.url, Queue: t.owner.queueNumber(t), Touched: t.touched,
		Started: t.started, Ended: t.ended, Acting: t.acting, Root: t.root.freeze(),
	}
	for _, a := range t.acts {
		f.Acts = append(f.Acts, a.freeze())
	}
	b, _ := json.Marshal(f) // its types cannot fail
	return b
}

func (a *act) freeze() frozenAct {
	f := frozenAct{ID: a.id, Kind: a.kind, Times: [4]int64{a.start, a.end, a.first, a.last}, Op: a.operation, Parent: a.parent, Attrs: freezeFacts(a.facts)}
	for name, r := range rules {
		if r == a.rule {
			f.Rule = name
		}
	}
	for bit, set := range a.flags() {
		if *set {
			f.Flags |= bit
		}
	}
	if a.partner != nil {
		f.Partner = a.partner.id
	}
	if a.extra != nil {
		f.Links, f.Dropped = a.extra.contexts, a.extra.dropped
		for i := range a.extra.asides {
			x := &a.extra.asides[i]
			f.Asides = append(f.Asides, frozenAside{ID: []byte(x.id), Name: x.name, Time: x.time, Attrs: freezeFacts(x.facts)})
		}
	}
	if r := a.real; r != nil {
		f.Real = &frozenReal{
			Trace: r.trace, Span: r.span, Parent: r.parent, Kind: r.kind, SpanKind: r.spanKind, Status: r.status, Name: r.name,
			Subject: r.subject, Start: r.start, End: r.end, Inferred: r.inferred, Guessed: a.guessed,
		}
		for i, name := range keys().names {
			if r.has.has(uint16(i)) {
				f.Real.Has = append(f.Real.Has, name)
			}
		}
	}
	return f
}

func (f *frozenAct) thaw(a *act) {
	*a = act{
		id: f.ID, rule: rules[f.Rule], kind: f.Kind, start: f.Times[0], end: f.Times[1], first: f.Times[2], last: f.Times[3],
		operation: f.Op, parent: f.Parent, facts: thawFacts(f.Attrs),
	}
	for bit, set := range a.flags() {
		*set = f.Flags&bit != 0
	}
	if f.Links != nil || f.Asides != nil || f.Dropped > 0 {
		x := a.more()
		x.contexts, x.dropped = f.Links, f.Dropped
		for _, kept := range f.Asides {
			x.asides = append(x.asides, aside{id: string(kept.ID), name: kept.Name, time: kept.Time, facts: thawFacts(kept.Attrs)})
		}
	}
	if r := f.Real; r != nil {
		a.guessed = r.Guessed
		a.real = &real{
			trace: r.Trace, span: r.Span, parent: r.Parent, kind: r.Kind, spanKind: r.SpanKind, status: r.Status, name: r.Name,
			subject: r.Subject, start: r.Start, end: r.End, inferred: r.Inferred, claimed: true,
		}
		for _, name := range r.Has {
			if i, ok := keys().index[name]; ok {
				a.real.has.add(i)
			}
		}
	}
}

func freezeFacts(f facts) (out []frozenAttr) {
	for r := f.read(); r.next(); {
		out = append(out, frozenAttr{Key: keys().names[r.key], Kind: r.kind, Inferred: r.inferred, Time: r.time, Num: r.num, Str: []byte(r.str)})
	}
	return out
}

func thawFacts(list []frozenAttr) facts {
	var known []attr
	for _, f := range list {
		if i, ok := keys().index[f.Key]; ok && f.Kind >= kindString && f.Kind <= kindStrings {
			known = append(known, attr{key: i, kind: f.Kind, inferred: f.Inferred, time: f.Time, num: f.Num, str: string(f.Str)})
		}
	}
	slices.SortFunc(known, func(a, b attr) int { return cmp.Compare(a.key, b.key) })
	return facts("").unite(known, keys().any, new([]byte))
}

func (s *session) freeze() []byte {
	var list []frozenMark
	for _, m := range s.marks {
		list = append(list, frozenMark{Trace: m.key.trace, Group: m.key.group, Derived: m.derived, In: m.trace, Root: m.root, Start: m.start, Sub: m.sub})
	}
	b, _ := json.Marshal(list)
	return b
}

// thaw takes over what is readable; without marks a turn only lacks a link.
func (s *session) thaw(value []byte) {
	var list []frozenMark
	if json.Unmarshal(value, &list) != nil {
		return
	}
	for _, f := range list {
		s.marks = append(s.marks, turnMark{key: turnKey{f.Trace, f.Group}, derived: f.Derived, trace: f.In, root: f.Root, start: f.Start, sub: f.Sub})
	}
	slices.SortFunc(s.marks, compareMarks)
	s.marks = s.marks[max(0, len(s.marks)-maxMarks):]
}

func sortTurns(list []*turn) {
	slices.SortStableFunc(list, func(a, b *turn) int { return cmp.Compare(a.touched, b.touched) })
}
