package redact

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// attributes treats a map of attributes, at any depth the policy allows.
func (w *walk) attributes(m pcommon.Map, pos Position) {
	w.entries(m, pos, 0, 0)
}

// inherited are the classes that hold for all below their key; topOnly those
// that a key has only where it is an attribute's own: the keys of a map are data.
const (
	inherited = classCredential | classOpen
	topOnly   = classPlain | classOpen | classWords | classAgent
)

// entries treats a map. Classes of an enclosing key, in outer, hold for what is
// below it.
func (w *walk) entries(m pcommon.Map, pos Position, depth int, outer keyClass) {
	rename, spoiled := false, len(w.spoiled)
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		class := w.classify(key)
		if depth == 0 && w.tally.keyed != nil {
			if w.tally.key = key; class&classDirty != 0 {
				w.tally.key = ""
			}
		}
		rename = rename || class&classDirty != 0
		if class&(classDenied|classContext|classStep) != 0 {
			return w.barred(key, v, pos, class)
		}
		if depth == 0 {
			w.agent = w.agent || class&classAgent != 0
			if class&classStamp != 0 {
				w.stamp.see(key, v)
			}
		} else {
			class &^= topOnly
		}
		if class |= outer & inherited; class&classOpen != 0 {
			class |= classPlain
		}
		return w.value(v, pos, depth, class)
	})
	if depth == 0 {
		w.tally.key = ""
	}
	w.dropSpoiled(m, pos, spoiled)
	if rename {
		w.rename(m)
	}
}

// rename builds the map again under keys without what was found in them.
func (w *walk) rename(m pcommon.Map) {
	out := pcommon.NewMap()
	out.EnsureCapacity(m.Len())
	for key, v := range m.All() {
		clean := w.key(key, AttributeKey)
		v.MoveTo(out.PutEmpty(clean))
	}
	out.MoveTo(m)
}

// key is the key without what was found in it. One that looks like no key is
// replaced whole: somebody's text became a key.
func (w *walk) key(key string, pos Position) string {
	if w.p.set.Unknown != Keep && !keyLike(key, w.p.engine.kinds) {
		w.tally.hit(ruleUnknown, pos)
		return w.token(contentKindOf(textMedia(key), len(key)), w.digest.text(key))
	}
	clean, _ := w.text(key, pos)
	return clean
}

// value treats the value of a key of the given class, and reports whether the
// entry is to be removed.
func (w *walk) value(v pcommon.Value, pos Position, depth int, class keyClass) (remove bool) {
	switch {
	case class&classContent != 0 && w.p.set.Content != Keep:
		return w.content(v, pos)
	case class&classContent != 0:
		class |= classPlain | classOpen
	case class&classPerson != 0 && w.p.set.PersonIDs != Keep:
		return w.person(v, pos, depth)
	case class&classPerson != 0:
		class |= classPlain
	}
	switch v.Type() {
	case pcommon.ValueTypeEmpty, pcommon.ValueTypeBool:
	case pcommon.ValueTypeStr:
		return w.textValue(v, pos, class)
	case pcommon.ValueTypeBytes:
		return w.bytesValue(v, pos, class)
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble:
		if class&classCredential != 0 {
			v.SetStr(w.token(fixedKinds[ruleCredential], w.digest.text(v.AsString())))
			w.tally.hit(ruleCredential, pos)
		}
	case pcommon.ValueTypeMap:
		if depth >= w.p.set.MaxDepth {
			w.tooDeep(v, pos)
			return false
		}
		w.entries(v.Map(), pos, depth+1, class)
	case pcommon.ValueTypeSlice:
		if depth >= w.p.set.MaxDepth {
			w.tooDeep(v, pos)
			return false
		}
		below := class & (inherited | classPlain | classWords)
		v.Slice().RemoveIf(func(item pcommon.Value) bool { return w.value(item, pos, depth+1, below) })
	default:
		w.tally.fail(UnknownType, pos)
		v.SetStr(w.token(UnknownType.String(), w.digest.text(v.AsString())))
	}
	return false
}

func (w *walk) textValue(v pcommon.Value, pos Position, class keyClass) (remove bool) {
	s := v.Str()
	if class&classCredential != 0 && s != "" {
		if !isToken(s, w.p.engine.kinds) && !withheld[s] {
			v.SetStr(w.token(fixedKinds[ruleCredential], w.digest.text(s)))
			w.tally.hit(ruleCredential, pos)
		}
		return false
	}
	hash, stays := w.recent.has(s)
	if stays {
		return false
	}
	if class&classPlain == 0 && w.doubtful(s) {
		if class&classWords != 0 {
			v.SetStr(otherWord)
			w.tally.hit(ruleUnknown, pos)
			return false
		}
		return w.replace(v, contentKindOf(textMedia(s), len(s)), w.p.set.Unknown, ruleUnknown, pos)
	}
	if out, changed := w.text(s, pos); changed {
		v.SetStr(out)
	} else if class&classPlain == 0 {
		w.recent.note(hash, s)
	}
	return false
}

// otherWord stands for a value outside a set of words, as the conventions say.
const otherWord = "_OTHER"

// doubtful reports whether a text of which nothing is known is to be replaced.
func (w *walk) doubtful(s string) bool {
	return w.p.set.Unknown != Keep && s != "" && !withheld[s] && !nameLike(s, w.p.engine.kinds)
}

// name treats a text that should be a name by itself, such as an event's.
func (w *walk) name(s string, write func(string), pos Position) {
	if w.doubtful(s) {
		w.tally.hit(ruleUnknown, pos)
		write(w.token(contentKindOf(textMedia(s), len(s)), w.digest.text(s)))
		return
	}
	w.set(s, write, pos)
}

// bytesValue reads bytes as text. They stay bytes, unless they are replaced
// whole.
func (w *walk) bytesValue(v pcommon.Value, pos Position, class keyClass) (remove bool) {
	b := v.Bytes()
	if b.Len() == 0 {
		return false
	}
	s := string(b.AsRaw())
	if class&classCredential != 0 && !isToken(s, w.p.engine.kinds) {
		b.FromRaw([]byte(w.token(fixedKinds[ruleCredential], w.digest.text(s))))
		w.tally.hit(ruleCredential, pos)
		return false
	}
	if class&(classPlain|classCredential) == 0 && w.doubtful(s) {
		return w.replace(v, contentKindOf("bytes", len(s)), w.p.set.Unknown, ruleUnknown, pos)
	}
	if out, changed := w.text(s, pos); changed {
		b.FromRaw([]byte(out))
	}
	return false
}

func (w *walk) tooDeep(v pcommon.Value, pos Position) {
	w.tally.fail(TooDeep, pos)
	v.SetStr(w.token(TooDeep.String(), w.digest.value(v, w.p.set.MaxDepth)))
}

// content replaces a whole value, whatever its type. Empty values and booleans
// say nothing and stay.
func (w *walk) content(v pcommon.Value, pos Position) (remove bool) {
	kind, empty := "", false
	switch v.Type() {
	case pcommon.ValueTypeEmpty, pcommon.ValueTypeBool:
		return false
	case pcommon.ValueTypeStr:
		s := v.Str()
		if s == "" || withheld[s] || isToken(s, w.p.engine.kinds) {
			return false
		}
		kind = contentKindOf(textMedia(s), len(s))
	case pcommon.ValueTypeBytes:
		kind, empty = contentKindOf("bytes", v.Bytes().Len()), v.Bytes().Len() == 0
	case pcommon.ValueTypeMap:
		kind, empty = contentKindOf("map", v.Map().Len()), v.Map().Len() == 0
	case pcommon.ValueTypeSlice:
		kind, empty = contentKindOf("list", v.Slice().Len()), v.Slice().Len() == 0
	default:
		kind = contentKindOf("number", -1)
	}
	if empty {
		return false
	}
	return w.replace(v, kind, w.p.set.Content, ruleContent, pos)
}

// replace puts a content token in a value's place, or has it removed.
func (w *walk) replace(v pcommon.Value, kind string, mode Mode, rule int, pos Position) (remove bool) {
	w.tally.hit(rule, pos)
	drop := mode == Drop
	if drop && !w.echo.on {
		return true
	}
	hex := w.digestOf(v)
	if w.echo.on {
		w.echo.heard(hex, v)
	}
	if !drop {
		v.SetStr(w.token(kind, hex))
	}
	return drop
}

func (w *walk) digestOf(v pcommon.Value) [tokenHex]byte {
	if v.Type() == pcommon.ValueTypeStr {
		return w.digest.text(v.Str())
	}
	return w.digest.value(v, w.p.set.MaxDepth)
}

// person replaces the ids of a person; those in a list one by one.
func (w *walk) person(v pcommon.Value, pos Position, depth int) (remove bool) {
	switch v.Type() {
	case pcommon.ValueTypeEmpty, pcommon.ValueTypeBool:
		return false
	case pcommon.ValueTypeStr:
		if s := v.Str(); s == "" || withheld[s] || isToken(s, w.p.engine.kinds) {
			return false
		}
	case pcommon.ValueTypeSlice:
		if w.p.set.PersonIDs == Drop || depth >= w.p.set.MaxDepth {
			break
		}
		for i := range v.Slice().Len() {
			w.person(v.Slice().At(i), pos, depth+1)
		}
		return false
	}
	w.tally.hit(rulePerson, pos)
	if w.p.set.PersonIDs == Drop {
		return true
	}
	v.SetStr(w.token(fixedKinds[rulePerson], w.digestOf(v)))
	return false
}
