package mapping

import (
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// translators take records that are in one snapshot's words already to the
// target, by the name of that snapshot, the home. The target itself has none.
type translators map[string]*translator

func translatorsInto(target *semconv.Snapshot) translators {
	out := translators{}
	x := newTranslator(target)
	for _, home := range semconv.Chain() {
		if home != target {
			out[home.Name] = x.after(newTranslator(home))
		}
	}
	return out
}

// after is x for records that home's translator, or a dialect that writes home's
// words, made. What is in such a record under a name that home does not have is
// not this fact: whoever made the record left it there, because another value
// won or because it is no such thing. A framework under gen_ai.system is no
// provider. It stays, and is set aside where the goal would take it for the fact.
func (x *translator) after(home *translator) *translator {
	out := *x
	out.keys = make(map[string]*snapshotKey, len(x.keys))
	for key, k := range x.keys {
		out.keys[key] = k
	}
	for key, at := range home.keys {
		if at.native {
			continue
		}
		k := x.keys[key]
		out.keys[key] = &snapshotKey{native: k == nil || k.native, stray: at}
		out.filter.add(key)
	}
	return &out
}

// place leaves a stray attribute where it is, unless the goal has its name and
// the record does not say the same as the fact.
func (k *snapshotKey) place(attrs pcommon.Map, key string, y *tally) bool {
	if len(k.stray.moves) == 0 {
		if !k.native {
			y.leave(leftSnapshot)
		}
		return false
	}
	for i := range k.stray.moves {
		m := &k.stray.moves[i]
		if !allHold(m.where, attrs) {
			continue
		}
		if there, ok := attrs.Get(m.to); ok {
			switch v, _ := attrs.Get(key); {
			case m.says(v, there):
			case k.native: // the fact is on its way to this name
				return setAside(attrs, key)
			default:
				y.leave(leftConflict)
			}
			return false
		}
		return k.native && setAside(attrs, key)
	}
	return false
}

// says reports whether what is there says all of the value, or the value nothing.
func (m *snapshotMove) says(v, there pcommon.Value) bool {
	word := ""
	if v.Type() == pcommon.ValueTypeStr {
		if word = v.Str(); m.values[word] != "" {
			word = m.values[word]
		}
	}
	return saysNothing(v) || m.agrees(v, word, there)
}

func setAside(attrs pcommon.Map, key string) bool {
	aside := semconv.AppOriginal + "." + key
	if _, taken := attrs.Get(aside); taken {
		return false
	}
	v, _ := attrs.Get(key)
	held := heldValues.Get().(*pcommon.Value)
	v.MoveTo(*held)
	attrs.Remove(key)
	held.MoveTo(attrs.PutEmpty(aside))
	heldValues.Put(held)
	return true
}

// metrics takes every metric of one scope that is stamped with a home to the
// target and stamps it anew.
func (from translators) metrics(list pmetric.MetricSlice, y *tally) {
	homes := map[string]*translator{}
	for _, m := range list.All() {
		if stamp := stampOf(m); stamp != "" && from[stamp] != nil {
			homes[stamp] = from[stamp]
		}
	}
	for _, home := range sortedKeys(homes) {
		x := homes[home]
		x.stamped(list, home, y)
		for _, m := range list.All() {
			if stampOf(m) == home {
				m.Metadata().PutStr(semconv.AppMappingSnapshot, x.goal)
			}
		}
	}
}
