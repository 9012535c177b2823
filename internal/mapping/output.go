package mapping

import "go.opentelemetry.io/collector/pdata/pcommon"

// unchanged reports whether the target already holds exactly this value.
func (s *scratch) unchanged(f *field, d *datum) bool {
	if f.to.finish {
		return false
	}
	now := datumOf(s.attrs[f.to.id].val)
	if now.kind == kindValue {
		return d.kind == kindValue
	}
	return now.equal(d)
}

// write puts a value into the target. src is where it was read, nil if a rule
// itself says it.
func (s *scratch) write(f *field, src *source, d *datum) {
	s.decided[f.to.id] = s.gen
	if f.to.finish {
		s.writeFinish(f.to, *d)
		return
	}
	s.replaceStated(f, src, d)
	s.emit(f.to, *d)
	if f.inferred {
		s.inferred = append(s.inferred, f.to.key)
	}
}

// say writes a text that a rule itself says.
func (s *scratch) say(f *field, text string) {
	d := stringDatum(text)
	s.write(f, nil, &d)
}

// replaceStated keeps the record's own value of the target if the new one does
// not say all of it.
func (s *scratch) replaceStated(f *field, src *source, d *datum) {
	if !s.has(f.to.id) || s.gone(f.to.id) {
		return
	}
	stated, out := coerce(datumOf(s.attrs[f.to.id].val), f.to.typ)
	if out == fits && stated.equal(d) {
		return
	}
	switch {
	case src == nil:
	case src.kind == fromAttribute && src.key == f.to.id:
		if !s.lossy && (f.shape == nil || s.whole) {
			return // only its type or its word changed
		}
	case src.kind == fromMember && src.key == f.to.id:
	case out == fits:
		s.tally.left(leftConflict)
	}
	s.setAside(f.to, f.original)
}

func (s *scratch) emit(t *target, d datum) {
	s.out = append(s.out, output{to: t, data: int32(len(s.data))})
	s.data = append(s.data, d)
}

// sayText is emit for a text.
func (s *scratch) sayText(t *target, text string) {
	s.out = append(s.out, output{to: t, data: int32(len(s.data))})
	s.data = append(s.data, datum{})
	d := &s.data[len(s.data)-1]
	d.kind, d.s = kindString, text
}

// written is the output for a target, nil if there is none.
func (s *scratch) written(t *target) *output {
	if s.decided[t.id] != s.gen {
		return nil
	}
	for i := range s.out {
		if s.out[i].to == t {
			return &s.out[i]
		}
	}
	return nil
}

func (s *scratch) valueIn(o *output) datum {
	if o.data < 0 {
		return datumOf(s.attrs[o.from].val)
	}
	return s.data[o.data]
}

// valueOf is what a target holds after the fields ran.
func (s *scratch) valueOf(t *target) datum {
	if o := s.written(t); o != nil {
		return s.valueIn(o)
	}
	if s.has(t.id) && !s.gone(t.id) {
		v := s.attrs[t.id].val
		if isOfType(v, t.typ) {
			return datumOf(v)
		}
		if d, out := coerce(datumOf(v), t.typ); out == fits {
			return d
		}
	}
	return datum{}
}

// textOf is valueOf for a text.
func (s *scratch) textOf(t *target) string {
	if o := s.written(t); o != nil {
		if o.data < 0 {
			return s.attrs[o.from].val.Str()
		}
		return s.data[o.data].s
	}
	if s.has(t.id) && !s.gone(t.id) {
		if v := s.attrs[t.id].val; isOfType(v, typeString) {
			return v.Str()
		}
		if d, out := coerce(datumOf(s.attrs[t.id].val), typeString); out == fits {
			return d.s
		}
	}
	return ""
}

// intOf is valueOf for a count.
func (s *scratch) intOf(t *target) (int64, bool) {
	if s.written(t) == nil {
		if !s.has(t.id) || s.gone(t.id) {
			return 0, false
		}
		if v := s.attrs[t.id].val; v.Type() == pcommon.ValueTypeInt {
			return v.Int(), v.Int() >= 0
		}
	}
	d := s.valueOf(t)
	return d.i, d.kind == kindInt
}

func (s *scratch) set(t *target, d datum) {
	o := s.written(t)
	if o == nil {
		s.decided[t.id] = s.gen
		s.emit(t, d)
		return
	}
	if o.data < 0 {
		s.unmove(o)
		o.data = int32(len(s.data))
		s.data = append(s.data, datum{})
	}
	s.data[o.data] = d
	s.unmove(o)
}

// unmove: the output's value is no longer the source's.
func (s *scratch) unmove(o *output) {
	for pos := range s.remove {
		if n := s.remove[pos]; n >= 0 && &s.out[n] == o {
			s.remove[pos] = removed
		}
	}
}
