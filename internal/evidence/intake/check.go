package intake

import (
	"fmt"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// size adds up what a value will take, about, and refuses what no column can
// hold. It reads no value but for its length and kind.
type size struct{ left int }

func (z *size) text(ss ...string) error {
	for _, s := range ss {
		z.left -= len(s)
	}
	return z.check()
}

func (z *size) check() error {
	if z.left < 0 {
		return &RowError{"row is longer than the store's limit for one row"}
	}
	return nil
}

func (z *size) attrs(m map[string]any, depth int) error {
	if depth > codec.MaxDepth {
		return &RowError{codec.ErrTooDeep.Error()}
	}
	for k, v := range m {
		z.left -= len(k)
		if err := z.value(v, depth+1); err != nil {
			return err
		}
	}
	return z.check()
}

func (z *size) value(v any, depth int) error {
	if depth > codec.MaxDepth {
		return &RowError{codec.ErrTooDeep.Error()}
	}
	z.left--
	switch v := v.(type) {
	case nil, bool:
	case int64, float64:
		z.left -= 8
	case string:
		z.left -= len(v)
	case []byte:
		z.left -= len(v)
	case []any:
		for _, item := range v {
			if err := z.value(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		return z.attrs(v, depth)
	default:
		return &RowError{fmt.Sprintf("attribute value of Go type %T, which no attribute can have", v)}
	}
	return z.check()
}

func checkSpan(s *evidence.Span, maxRow int) error {
	if s.ID.Trace == (evidence.TraceID{}) || s.ID.Span == (evidence.SpanID{}) {
		return &RowError{"span without trace id or span id"}
	}
	z := size{maxRow}
	if err := z.text(s.Name, s.StatusMessage, s.TraceState); err != nil {
		return err
	}
	if err := z.attrs(s.Attrs, 0); err != nil {
		return err
	}
	for i := range s.Events {
		z.left -= len(s.Events[i].Name) + 16
		if err := z.attrs(s.Events[i].Attrs, 2); err != nil {
			return err
		}
	}
	for i := range s.Links {
		z.left -= len(s.Links[i].TraceState) + 32
		if err := z.attrs(s.Links[i].Attrs, 0); err != nil {
			return err
		}
	}
	return z.source(s.Tenant, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion, s.Resource)
}

func checkRecord(r *evidence.Record, maxRow int) error {
	z := size{maxRow}
	if err := z.text(r.Event, r.Severity); err != nil {
		return err
	}
	if err := z.value(r.Body, 0); err != nil {
		return err
	}
	if err := z.attrs(r.Attrs, 0); err != nil {
		return err
	}
	return z.source(r.Tenant, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion, r.Resource)
}

func (z *size) source(tenant, service, serviceVersion, scope, scopeVersion string, resource evidence.Attrs) error {
	if err := z.text(tenant, service, serviceVersion, scope, scopeVersion); err != nil {
		return err
	}
	return z.attrs(resource, 0)
}
