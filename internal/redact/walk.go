package redact

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata/entity"
)

// walk is the state of one pass over a batch, reused between batches. It is
// used by one goroutine at a time.
type walk struct {
	p      *Policy
	owner  *digester
	digest *digest // under the current resource's tenant
	find   finder
	tally  tally
	buf    []byte
	stamp  stamp
	echo   echo
	agent  bool // the current span is an agent's

	watch func(string, []match) // sees what is found in a text before it is replaced

	recent *recent  // texts that stay whatever their key
	clean  *recent  // texts in which the rules find nothing
	lately lateKeys // of the items before

	restarter restarter
	budget    budget   // of the baggage header that is read
	spoiled   []string // prefixes of keys whose tracestate goes with its traceparent
}

func (p *Policy) walk() *walk {
	if w, ok := p.idle.Get().(*walk); ok {
		return w
	}
	w := &walk{
		p: p,

		recent: newRecent(),
		clean:  newRecent(),

		restarter: newRestarter(p),
		find:      finder{last: make([]int, len(p.rules))},
		tally:     tally{values: make([]int32, len(p.rules)*int(numPositions))},
	}
	if p.tellKeys {
		w.tally.keyed, w.tally.rules = map[KeyHit]int64{}, p.rules
	}
	return w
}

// done returns the walk's counts and the walk to the policy.
func (p *Policy) done(w *walk) Hits {
	h := w.tally.take(p.rules)
	w.leaveTenant()
	w.echo.reset()
	w.lately.forget()
	clear(w.find.found[:cap(w.find.found)])
	p.idle.Put(w)
	return h
}

func (w *walk) enterTenant(r pcommon.Resource) {
	tenant := ""
	if v, ok := r.Attributes().Get(w.p.set.TenantKey); ok {
		tenant = v.AsString()
	}
	w.leaveTenant()
	w.owner = w.p.tenants.of(tenant)
	w.digest = w.owner.get()
}

func (w *walk) leaveTenant() {
	if w.owner != nil {
		w.owner.put(w.digest)
		w.owner, w.digest = nil, nil
	}
}

// guard runs visit and reports whether it panicked; the caller then removes
// what was visited, for nothing is known about it.
func (w *walk) guard(pos Position, visit func()) (panicked bool) {
	defer func() {
		if recover() != nil {
			clear(w.find.last)
			w.spoiled = w.spoiled[:0]
			w.tally.fail(Panicked, pos)
			w.tally.key = ""
			panicked = true
		}
	}()
	visit()
	return false
}

func (w *walk) resource(r pcommon.Resource) {
	w.enterTenant(r)
	w.attributes(r.Attributes(), ResourceAttribute)
	for _, ref := range entity.ResourceEntityRefs(r).All() {
		w.set(ref.SchemaUrl(), ref.SetSchemaUrl, ResourceEntity)
		w.set(ref.Type(), ref.SetType, ResourceEntity)
		w.keys(ref.IdKeys())
		w.keys(ref.DescriptionKeys())
	}
}

// keys treats names of attributes as the attributes' own keys, so that they go
// on naming them.
func (w *walk) keys(s pcommon.StringSlice) {
	for i, v := range s.All() {
		if out := w.key(v, ResourceEntity); out != v {
			s.SetAt(i, out)
		}
	}
}

func (w *walk) scope(s pcommon.InstrumentationScope) {
	w.set(s.Name(), s.SetName, ScopeName)
	w.set(s.Version(), s.SetVersion, ScopeVersion)
	w.attributes(s.Attributes(), ScopeAttribute)
}

// set writes the text back only if something in it was replaced.
func (w *walk) set(s string, write func(string), pos Position) {
	if out, changed := w.text(s, pos); changed {
		write(out)
	}
}
