package semconv

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegistriesLoad(t *testing.T) {
	for _, r := range []*Registry{App(), Core()} {
		var attrs []Attribute
		for _, g := range r.Groups {
			assert.NotEmpty(t, g.Brief, g.Name)
			attrs = append(attrs, g.Attributes...)
		}
		checkAttributes(t, attrs)
	}
	for _, m := range App().Metrics {
		assert.True(t, strings.HasPrefix(m.Name, "app."), m.Name)
		assert.Contains(t, []string{"counter", "histogram"}, m.Instrument, m.Name)
		assert.NotEmpty(t, m.Unit, m.Name)
		assert.NotEmpty(t, m.Brief, m.Name)
	}
	for _, g := range App().Groups {
		for _, a := range g.Attributes {
			assert.True(t, strings.HasPrefix(a.Key, "app."), a.Key)
		}
	}
}

func checkAttributes(t *testing.T, attrs []Attribute) {
	t.Helper()
	seen := map[string]bool{}
	for _, a := range attrs {
		assert.False(t, seen[a.Key], "%s is there twice", a.Key)
		seen[a.Key] = true
		assert.Contains(t, []string{"string", "int", "double", "boolean", "string[]", "any", "template"}, a.Type, a.Key)
		assert.NotEmpty(t, a.Brief, a.Key)
		assert.Equal(t, len(a.Values), len(slices.Compact(slices.Sorted(slices.Values(a.Values)))), "%s has a value twice", a.Key)
	}
}
