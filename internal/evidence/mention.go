package evidence

import "strings"

// Mentions reports whether a span has the text in it: in a key, a value at any
// depth or any other text.
func (s *Span) Mentions(text string) bool {
	if anyHas(text, s.Tenant, s.Name, s.StatusMessage, s.TraceState, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion) ||
		mentions(map[string]any(s.Attrs), text) || mentions(map[string]any(s.Resource), text) {
		return true
	}
	for i := range s.Links {
		if anyHas(text, s.Links[i].TraceState, s.Links[i].Relation) || mentions(map[string]any(s.Links[i].Attrs), text) {
			return true
		}
	}
	for i := range s.Events {
		if anyHas(text, s.Events[i].Name) || mentions(map[string]any(s.Events[i].Attrs), text) {
			return true
		}
	}
	return false
}

// Mentions is that of Span.
func (r *Record) Mentions(text string) bool {
	return anyHas(text, r.Tenant, r.Event, r.Severity, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion) ||
		mentions(r.Body, text) || mentions(map[string]any(r.Attrs), text) || mentions(map[string]any(r.Resource), text)
}

func anyHas(text string, in ...string) bool {
	for _, s := range in {
		if strings.Contains(s, text) {
			return true
		}
	}
	return false
}

func mentions(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []byte:
		return strings.Contains(string(v), text)
	case []any:
		for _, item := range v {
			if mentions(item, text) {
				return true
			}
		}
	case map[string]any:
		for k, item := range v {
			if strings.Contains(k, text) || mentions(item, text) {
				return true
			}
		}
	}
	return false
}
