package semconv

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSnapshotsLoad(t *testing.T) {
	require.Contains(t, SnapshotNames(), DefaultSnapshot)
	for _, name := range SnapshotNames() {
		s, err := LoadSnapshot(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.Name, "file name and snapshot name")
		assert.Len(t, s.Commit, 40)
		checkAttributes(t, s.Attributes)
	}
}

func TestUnknownSnapshotNamesTheKnownOnes(t *testing.T) {
	_, err := LoadSnapshot("../app")
	require.ErrorContains(t, err, DefaultSnapshot)
}

// Whatever a snapshot's operations, spans, metrics, events and renames name is
// one of its attributes.
func TestSnapshotsNameOnlyTheirOwnAttributes(t *testing.T) {
	for _, name := range SnapshotNames() {
		s, err := LoadSnapshot(name)
		require.NoError(t, err)
		known := map[string]bool{}
		var operations []string
		for _, a := range s.Attributes {
			known[a.Key] = true
			if a.Key == GenAIOperationName {
				operations = a.Values
			}
		}
		check := func(where string, l Levels) {
			for _, key := range slices.Concat(l.Required, l.Conditional, l.Recommended, l.OptIn, l.Sampling) {
				assert.True(t, known[key], "%s: %s names %s", name, where, key)
			}
		}
		for _, x := range s.Spans {
			check(x.Span, x.Levels)
		}
		for _, x := range s.Metrics {
			check(x.Metric, x.Levels)
			assert.True(t, slices.IsSorted(x.Buckets), x.Metric)
		}
		for _, x := range s.Events {
			check(x.Event, x.Levels)
		}
		for _, r := range s.Renamed {
			assert.True(t, known[r.To], "%s: renamed to %s", name, r.To)
			assert.False(t, known[r.From], "%s: renamed from %s", name, r.From)
		}
		require.Len(t, s.Operations, len(operations))
		for _, op := range s.Operations {
			assert.Contains(t, operations, op.Operation)
			for _, part := range strings.Split(op.Name, "{")[1:] {
				key, _, ok := strings.Cut(part, "}")
				assert.True(t, ok && known[key], "%s: name of %s", name, op.Operation)
			}
		}
	}
}

func TestRegistriesLoad(t *testing.T) {
	for _, r := range []*Registry{App(), Core()} {
		var attrs []Attribute
		for _, g := range r.Groups {
			assert.NotEmpty(t, g.Brief, g.Name)
			attrs = append(attrs, g.Attributes...)
		}
		checkAttributes(t, attrs)
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
