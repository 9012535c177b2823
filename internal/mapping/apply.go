package mapping

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// run applies a block and its cases. Inner cases come first since they are more
// specific, and the first that decides a target wins.
func (s *scratch) run(b *block) {
	if s.mayHold(b.keys) && s.matches(b.when) {
		s.runBlock(b)
	}
}

// runBlock is run for a block whose conditions hold.
func (s *scratch) runBlock(b *block) {
	if b.cases != nil {
		s.runCases(b)
	}
	for i := range b.fields {
		f := &b.fields[i]
		if f.wants != 0 && f.wants&s.present == 0 || s.decided[f.id] == s.gen || f.member && !s.saysAny(f) {
			continue
		}
		s.apply(f)
	}
	if s.t.readsContent && !s.joined() {
		for i := range b.content {
			s.later = append(s.later, &b.content[i])
		}
	}
	for i := range b.finally {
		s.finals = append(s.finals, &b.finally[i])
	}
	s.decide(b)
}

// decide notes what a block says beside fields, where nothing more specific did.
func (s *scratch) decide(b *block) {
	d := &s.decision
	if d.canonical == "" {
		d.canonical = b.event
	}
	if d.basis == basisUnset {
		d.basis = b.basis
	}
	if d.outputBasis == basisUnset {
		d.outputBasis = b.outputBasis
	}
	if d.total == nil {
		d.total = b.total
	}
	if d.outputTotal == nil {
		d.outputTotal = b.outputTotal
	}
	if d.aggregate == choiceOpen {
		d.aggregate = b.aggregate
	}
	if d.band == "" {
		d.band = b.band
	}
	if d.kind == "" {
		d.kind = b.kind
	}
	if d.naming == "" {
		d.naming = b.naming
	}
	if d.status == "" {
		d.status = b.status
	}
	if d.time == nil {
		d.time = b.time
	}
	d.drop = d.drop || b.drop
	for i := range b.links {
		d.links = append(d.links, &b.links[i])
	}
	for i := range b.each {
		d.each = append(d.each, &b.each[i])
	}
}

// runFinally runs the cases that want to know what the fields decided.
func (s *scratch) runFinally() {
	for i := 0; i < len(s.finals); i++ { // a case may add to the list
		s.run(s.finals[i])
	}
}

// runContent applies the content fields, which may look at what others wrote.
func (s *scratch) runContent() {
	if !s.t.options.Content {
		return
	}
	for _, f := range s.later {
		s.apply(f)
	}
}

func (s *scratch) apply(f *field) {
	if s.decided[f.id] == s.gen {
		return
	}
	if f.to.app && s.has(f.id) { // only an emitter that knows us sets app.*
		s.decided[f.id] = s.gen
		return
	}
	switch f.how {
	case fieldFrom:
		s.applyFrom(f)
	case fieldNone:
		s.decided[f.id] = s.gen
		s.setAside(f.to, f.original)
	case fieldConst:
		s.write(f, nil, &f.konst)
	case fieldDerive:
		s.applyEffect(f)
	case fieldJoin:
		s.applyJoin(f)
	case fieldGather:
		s.applyGather(f)
	case fieldSum:
		s.applySum(f)
	case fieldBetween:
		s.applyBetween(f)
	}
}

// says is a quick look whether a source can have anything.
func (s *scratch) says(src *source) bool {
	switch src.kind {
	case fromAttribute:
		return s.has(src.key)
	case fromMember:
		if !s.has(src.key) {
			return false
		}
		if v := s.attrs[src.key].val; v.Type() == pcommon.ValueTypeStr {
			if s.parsed[src.key] != s.gen {
				s.parsed[src.key] = s.gen
				s.parse(v.Str(), s.t.keys[src.key].json)
			}
			return s.members[src.slot].gen == s.gen
		}
	}
	return true
}

// saysAny is a quick look whether an attribute has one of the members that a
// field wants.
func (s *scratch) saysAny(f *field) bool {
	src := &f.from[0]
	if !s.has(src.key) {
		return false
	}
	v := s.attrs[src.key].val
	if v.Type() != pcommon.ValueTypeStr {
		return true
	}
	if s.parsed[src.key] != s.gen {
		s.parsed[src.key] = s.gen
		s.parse(v.Str(), s.t.keys[src.key].json)
	}
	bits := &s.bits[src.key]
	return bits.gen == s.gen && bits.bits&f.bits != 0
}

// applyFrom takes the first source that holds a value of the target's type. If
// none does, a placeholder in the target's own place goes.
func (s *scratch) applyFrom(f *field) {
	for i := range f.from {
		src := &f.from[i]
		if src.kind <= fromMember && !s.has(src.key) {
			continue
		}
		if s.says(src) && s.take(f, src, i) {
			return
		}
	}
	if s.empty == f.id {
		s.empty = 0
		s.setAside(f.to, f.original)
	}
}

// take gives the target what a source says.
func (s *scratch) take(f *field, src *source, i int) bool {
	own := src.kind == fromAttribute && src.key == f.id
	if own && s.gone(src.key) || f.renames && containsID(s.refused, src.key) {
		return false
	}
	if f.plain && s.takePlain(f, src, own, i) {
		return true
	}
	raw := s.read(src)
	d, out := s.convert(f, src, raw)
	if out != fits {
		s.pass(f, src, own, out)
		return false
	}
	lossy := s.lossy
	gone := s.consume(f, src)
	if i+1 < len(f.from) {
		s.consumeAgreeing(f, f.from[i+1:], &d)
	}
	if own && s.unchanged(f, &d) {
		s.decided[f.id] = s.gen
		return true
	}
	n := len(s.out)
	s.lossy = lossy
	s.write(f, src, &d)
	if last := len(s.out) - 1; gone && last >= n && s.out[last].to == f.to && (raw.equal(&d) || raw.kind == kindValue && s.isWritten(last, raw.v)) {
		s.moveFrom(src.key, last)
	}
	return true
}

// isWritten reports whether output n is that very slice or map.
func (s *scratch) isWritten(n int, v pcommon.Value) bool {
	at := s.out[n].data
	return at >= 0 && s.data[at].kind == kindValue && s.data[at].v == v
}

// takePlain is take for a value that already is what the target wants, as most
// are.
func (s *scratch) takePlain(f *field, src *source, own bool, i int) bool {
	switch src.kind {
	case fromAttribute:
		v := s.attrs[src.key].val
		if isOfType(v, f.to.typ) && (!f.to.count || v.Int() >= 0) {
			s.takeAttribute(f, src, v, own, i)
			return true
		}
	case fromMember:
		m := &s.members[src.slot]
		if m.gen == s.gen && m.val.kind == kindOf[f.to.typ] && (m.val.kind != kindString || plainText(m.val.s)) && (!f.to.count || m.val.i >= 0) {
			s.lossy = false
			if i+1 < len(f.from) {
				s.consumeAgreeing(f, f.from[i+1:], &m.val)
			}
			s.write(f, src, &m.val)
			return true
		}
	}
	return false
}

func (s *scratch) takeAttribute(f *field, src *source, v pcommon.Value, own bool, i int) {
	s.lossy = false
	gone := s.consume(f, src)
	if i+1 < len(f.from) {
		d := datumOf(v)
		s.consumeAgreeing(f, f.from[i+1:], &d)
	}
	switch {
	case own:
		s.decided[f.id] = s.gen
	case gone && s.remove[s.attrs[src.key].pos] == removed:
		s.moveTo(f, src)
	default:
		d := datumOf(v)
		s.write(f, src, &d)
	}
}

// moveTo gives the target the attribute's own value, without a copy.
func (s *scratch) moveTo(f *field, src *source) {
	s.decided[f.id] = s.gen
	if s.has(f.id) {
		d := datumOf(s.attrs[src.key].val)
		s.replaceStated(f, src, &d)
	}
	s.remove[s.attrs[src.key].pos] = int32(len(s.out))
	s.out = append(s.out, output{to: f.to, data: -1, from: src.key})
	if f.inferred {
		s.inferred = append(s.inferred, f.to.key)
	}
}

// kindOf is the kind of a value that already has the type.
var kindOf = [...]kind{typeString: kindString, typeInt: kindInt, typeDouble: kindDouble, typeBool: kindBool, typeStrings: kindList, typeAny: kindNone}

// pass notes a source that was there and was not taken.
func (s *scratch) pass(f *field, src *source, own bool, out outcome) {
	if out == misfit {
		s.tally.left(leftType)
		if own {
			s.misfits = append(s.misfits, f.id)
		}
		return
	}
	if own && out == absent {
		s.empty = f.id
	}
	if src.kind == fromAttribute {
		s.refused = append(s.refused, src.key)
	}
}

// setAside takes the record's own value out of a target that must not hold it;
// unless it says nothing, it is kept under another key.
func (s *scratch) setAside(to, original *target) {
	if !s.has(to.id) || s.gone(to.id) || to.app {
		return
	}
	v := s.attrs[to.id].val
	s.removeAttribute(to.id)
	if isPlaceholder(v) {
		return
	}
	s.emit(original, datumOf(v))
	s.moveFrom(to.id, len(s.out)-1)
}

// moveFrom lets commit hand the removed attribute's own value to output n,
// which saves an allocation a value.
func (s *scratch) moveFrom(id int32, n int) {
	pos := s.attrs[id].pos
	if s.remove[pos] == removed {
		s.remove[pos] = int32(n)
	}
}

// applyJoin writes all parts that say something, with a separator between.
func (s *scratch) applyJoin(f *field) {
	var b strings.Builder
	for i := range f.join {
		d, out := coerce(s.read(&f.join[i]), typeString)
		if out != fits {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(f.sep)
		}
		b.WriteString(d.s)
	}
	if b.Len() == 0 {
		return
	}
	s.say(f, b.String())
	for i := range f.join {
		s.consume(f, &f.join[i])
	}
}

// consume marks a source attribute for removal if the target says all of it.
// A member of an attribute never removes the attribute.
func (s *scratch) consume(f *field, src *source) (gone bool) {
	switch {
	case f.keep || s.lossy, f.shape != nil && !s.whole:
	case src.kind == fromBelow:
		s.removeBelow(src.prefix)
	case src.kind == fromIndexed:
		if f.to.typ == typeStrings || s.indexedOnce(src) {
			s.removeIndexed(src)
		}
	case src.kind == fromAttribute && src.key != f.to.id && s.attrs[src.key].pos >= 0 && s.has(src.key):
		s.removeAttribute(src.key)
		return true
	}
	return false
}

func (s *scratch) indexedOnce(src *source) bool {
	d := s.indexed(src)
	return d.kind != kindList
}

// consumeAgreeing removes later sources that say the same; one that says
// something else stays and is counted.
func (s *scratch) consumeAgreeing(f *field, rest []source, chosen *datum) {
	if f.shape != nil {
		return // reading the others costs more than two copies
	}
	for i := range rest {
		src := &rest[i]
		if src.kind != fromAttribute || !s.has(src.key) {
			continue
		}
		d, out := s.convert(f, src, s.read(src))
		switch {
		case out != fits:
		case d.kind == kindValue && chosen.kind == kindValue && d.v.Equal(chosen.v), d.equal(chosen):
			s.consume(f, src)
		case f.renames:
			s.tally.left(leftConflict)
		}
	}
}
