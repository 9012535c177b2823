package synth

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// resource is a sender that turns of the state share.
type resource struct {
	id    string
	attrs pcommon.Map
	url   string
	size  int
	turns int
}

// intern returns the state's copy of a resource. The caller counts its turns.
func (s *State) intern(r pcommon.Resource, schemaURL string) *resource {
	if l := s.latest; l != nil && l.turns > 0 && l.url == schemaURL && l.attrs.Equal(r.Attributes()) {
		return l
	}
	s.latest = s.internNew(r, schemaURL)
	return s.latest
}

func (s *State) internNew(r pcommon.Resource, schemaURL string) *resource {
	var parts []string
	size := 0
	for k, v := range r.Attributes().All() {
		part := k + "\x00" + string(rune('0'+v.Type())) + v.AsString()
		parts = append(parts, part)
		size += len(part) + 64
	}
	slices.Sort(parts)
	sum := digest(append(parts, schemaURL)...)
	id := string(sum[:])
	if known := s.resources[id]; known != nil {
		return known
	}
	own := &resource{id: id, attrs: pcommon.NewMap(), url: schemaURL, size: size}
	r.Attributes().CopyTo(own.attrs)
	return own
}

func tenantOf(r pcommon.Resource) string {
	v, ok := r.Attributes().Get(semconv.TenantID)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return v.Str()
}
