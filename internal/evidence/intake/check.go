package intake

import (
	"fmt"
	"math"

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

// Size adds up what the attributes of a span will take that come one by one. The
// first value that no store can keep stays its error.
type Size struct {
	size
	err error
}

// Start begins a row.
func (z *Size) Start(maxRow int) { *z = Size{size: size{maxRow}} }

// Fixed adds a value that takes so many bytes beside its key.
func (z *Size) Fixed(key string, bytes int) { z.left -= len(key) + 1 + bytes }

// Value adds any other value.
func (z *Size) Value(key string, v any) {
	z.left -= len(key)
	if err := z.value(v, 1); err != nil && z.err == nil {
		z.err = err
	}
}

// Span checks the rest of a span, whose attributes were added. sender is what
// Sender returned for the resource and scope of it.
func (z *Size) Span(s *evidence.Span, sender int) error {
	if err := checkIDs(s); err != nil {
		return err
	}
	if z.err != nil {
		return z.err
	}
	if err := z.rest(s); err != nil {
		return err
	}
	z.left -= sender
	return z.check()
}

// Sender returns what the resource and scope of a row take of it, about.
func Sender(tenant, service, serviceVersion, scope, scopeVersion string, resource evidence.Attrs) (int, error) {
	const most = math.MaxInt / 2
	z := size{most}
	err := z.source(tenant, service, serviceVersion, scope, scopeVersion, resource)
	return most - z.left, err
}

func checkIDs(s *evidence.Span) error {
	if s.ID.Trace == (evidence.TraceID{}) || s.ID.Span == (evidence.SpanID{}) {
		return &RowError{"span without trace id or span id"}
	}
	return nil
}

func checkSpan(s *evidence.Span, maxRow int) error {
	if err := checkIDs(s); err != nil {
		return err
	}
	z := size{maxRow}
	if err := z.attrs(s.Attrs, 0); err != nil {
		return err
	}
	if err := z.rest(s); err != nil {
		return err
	}
	return z.source(s.Tenant, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion, s.Resource)
}

// rest is a span without its attributes and its source.
func (z *size) rest(s *evidence.Span) error {
	if err := z.text(s.Name, s.StatusMessage, s.TraceState); err != nil {
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
	return z.check()
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
