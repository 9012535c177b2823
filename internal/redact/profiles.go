package redact

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// Profiles applies the policy in place. Profiles are not stamped: their
// attributes stand in a table that all of them share. A resource whose walk
// panics is removed and counted; if that of the shared tables panics, all are.
func (p *Policy) Profiles(pd pprofile.Profiles) Hits {
	w := p.walk()
	w.resolve(pd)
	pd.ResourceProfiles().RemoveIf(func(rp pprofile.ResourceProfiles) bool {
		return w.guard(ResourceAttribute, func() { w.resourceProfiles(rp) })
	})
	if w.guard(ProfileString, func() { w.dictionary(pd) }) {
		pprofile.NewProfiles().MoveTo(pd)
	}
	return p.done(w)
}

// resolve undoes what writing profiles out does to them: the attributes of
// resources and scopes then point into the string table, where pdata does not
// show them. If it does not go, the data is gone: it would not be read.
func (w *walk) resolve(pd pprofile.Profiles) {
	if !pointing(pd) {
		return
	}
	b, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(pd)
	again := pprofile.NewProfiles()
	if err == nil {
		again, err = (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(b)
	}
	if err != nil {
		w.tally.fail(Opaque, ProfileString)
		again = pprofile.NewProfiles()
	}
	again.MoveTo(pd)
}

// pointing reports whether an attribute of a resource or scope has no key of its
// own.
func pointing(pd pprofile.Profiles) bool {
	for _, rp := range pd.ResourceProfiles().All() {
		if _, ok := rp.Resource().Attributes().Get(""); ok {
			return true
		}
		for _, sp := range rp.ScopeProfiles().All() {
			if _, ok := sp.Scope().Attributes().Get(""); ok {
				return true
			}
		}
	}
	return false
}

func (w *walk) resourceProfiles(rp pprofile.ResourceProfiles) {
	w.resource(rp.Resource())
	w.set(rp.SchemaUrl(), rp.SetSchemaUrl, SchemaURL)
	for _, sp := range rp.ScopeProfiles().All() {
		w.scope(sp.Scope())
		w.set(sp.SchemaUrl(), sp.SetSchemaUrl, SchemaURL)
		for _, profile := range sp.Profiles().All() {
			w.set(profile.OriginalPayloadFormat(), profile.SetOriginalPayloadFormat, ProfilePayload)
			if profile.OriginalPayload().Len() > 0 {
				// The same profile in another format, mostly compressed.
				w.tally.fail(Opaque, ProfilePayload)
				profile.OriginalPayload().FromRaw(nil)
			}
		}
	}
}

// use says what a string of the shared table is for.
type use uint8

const (
	useName use = 1 << iota // a function, a file, a unit, a type
	useKey                  // an attribute
)

// dictionary treats the tables that all profiles of a batch share. The batch has
// one key for them: that of its first resource's tenant if it has but one
// tenant, else that of none.
func (w *walk) dictionary(pd pprofile.Profiles) {
	w.enterTenant(sharedTenant(pd, w.p.set.TenantKey))
	d := pd.Dictionary()
	uses, copied := stringUses(pd), copiedStrings(pd)
	at := func(i int32) string {
		if i < 0 || int(i) >= d.StringTable().Len() {
			return ""
		}
		return d.StringTable().At(int(i))
	}
	for _, kv := range d.AttributeTable().All() {
		key := at(kv.KeyStrindex())
		class := w.classify(key)
		remove := false
		if class&(classDenied|classContext) != 0 {
			remove = w.barred(key, kv.Value(), ProfileAttribute, class)
			w.spoiled = w.spoiled[:0]
		} else {
			remove = w.value(kv.Value(), ProfileAttribute, 0, class)
		}
		if remove { // others are known by their place in the table
			pcommon.NewValueEmpty().MoveTo(kv.Value())
		}
	}
	for _, link := range d.LinkTable().All() {
		w.restartID(link.TraceID(), link.SetTraceID)
	}
	for i, s := range d.StringTable().All() {
		out := s
		switch u := uses[int32(i)]; {
		case s == "" || u == 0 && copied[s]:
		case u&useKey != 0:
			out = w.key(s, ProfileString)
		case u&useName != 0:
			out, _ = w.text(s, ProfileString)
		default:
			// An attribute of a resource or scope that was replaced, or nothing
			// that is known.
			out = ""
		}
		if out != s {
			d.StringTable().SetAt(i, out)
		}
	}
}

// stringUses says of each entry of the string table what points at it.
func stringUses(pd pprofile.Profiles) map[int32]use {
	d := pd.Dictionary()
	uses := map[int32]use{}
	for _, f := range d.FunctionTable().All() {
		uses[f.NameStrindex()] |= useName
		uses[f.SystemNameStrindex()] |= useName
		uses[f.FilenameStrindex()] |= useName
	}
	for _, m := range d.MappingTable().All() {
		uses[m.FilenameStrindex()] |= useName
	}
	for _, kv := range d.AttributeTable().All() {
		uses[kv.KeyStrindex()] |= useKey
		uses[kv.UnitStrindex()] |= useName
	}
	for _, rp := range pd.ResourceProfiles().All() {
		for _, sp := range rp.ScopeProfiles().All() {
			for _, profile := range sp.Profiles().All() {
				for _, vt := range []pprofile.ValueType{profile.SampleType(), profile.PeriodType()} {
					uses[vt.TypeStrindex()] |= useName
					uses[vt.UnitStrindex()] |= useName
				}
			}
		}
	}
	return uses
}

// copiedStrings are those of which attributes of resources and scopes have a
// copy, redacted by now.
func copiedStrings(pd pprofile.Profiles) map[string]bool {
	out := map[string]bool{}
	for _, rp := range pd.ResourceProfiles().All() {
		copiedMap(rp.Resource().Attributes(), out)
		for _, sp := range rp.ScopeProfiles().All() {
			copiedMap(sp.Scope().Attributes(), out)
		}
	}
	return out
}

func copiedMap(m pcommon.Map, out map[string]bool) {
	for key, v := range m.All() {
		out[key] = true
		copiedValue(v, out)
	}
}

func copiedValue(v pcommon.Value, out map[string]bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		out[v.Str()] = true
	case pcommon.ValueTypeMap:
		copiedMap(v.Map(), out)
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			copiedValue(item, out)
		}
	}
}

// sharedTenant is a resource of the tenant that all resources of the batch
// have, or of none.
func sharedTenant(pd pprofile.Profiles, key string) pcommon.Resource {
	tenant := pcommon.NewResource()
	for i, rp := range pd.ResourceProfiles().All() {
		name := ""
		if v, ok := rp.Resource().Attributes().Get(key); ok {
			name = v.AsString()
		}
		if i == 0 {
			tenant.Attributes().PutStr(key, name)
		} else if first, _ := tenant.Attributes().Get(key); first.Str() != name {
			tenant.Attributes().PutStr(key, "")
			break
		}
	}
	return tenant
}
