package semconv

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSnapshotsLoad(t *testing.T) {
	chain, err := loadChain()
	require.NoError(t, err)
	var names []string
	date := ""
	for _, s := range chain {
		names = append(names, s.Name)
		assert.Regexp(t, regexp.MustCompile(`^[0-9a-f]{9,40}$`), s.Commit, s.Name)
		if s.Tag == "" {
			assert.Len(t, s.Commit, 40, "%s: only a release's commit may be short", s.Name)
		}
		assert.Regexp(t, regexp.MustCompile(`^\d{4}-\d\d-\d\d$`), s.Date, s.Name)
		assert.Greater(t, s.Date, date, "%s is older than the one it follows", s.Name)
		date = s.Date
		checkAttributes(t, s.Attributes)
	}
	assert.Equal(t, []string{"core-1.36.0", "core-1.41.1", "genai-2026-08-03", DefaultSnapshot, "genai-2026-09-03", "genai-2026-10-09"}, names)
}

func TestUnknownSnapshotNamesTheKnownOnes(t *testing.T) {
	_, err := LoadSnapshot("../app")
	require.ErrorContains(t, err, DefaultSnapshot)
}

// The number of gen_ai keys is the one known of each commit.
func TestSnapshotsHaveAllKeys(t *testing.T) {
	want := map[string]int{
		"core-1.36.0": 32, "core-1.41.1": 50, "genai-2026-08-03": 63, "genai-2026-08-15": 63, "genai-2026-09-03": 72, "genai-2026-10-09": 79,
	}
	for _, s := range Chain() {
		n := 0
		for _, a := range s.Attributes {
			if strings.HasPrefix(a.Key, "gen_ai.") {
				n++
			}
		}
		assert.Equal(t, want[s.Name], n, s.Name)
	}
}

func (l Levels) all() []string {
	return slices.Concat(l.Required, l.Conditional, l.Recommended, l.OptIn)
}

// Whatever a snapshot's operations, spans, metrics, events and entities name is
// one of its attributes.
func TestSnapshotsNameOnlyTheirOwnAttributes(t *testing.T) {
	for _, s := range Chain() {
		check := func(where string, l Levels) {
			for _, key := range slices.Concat(l.all(), l.Sampling) {
				assert.NotNil(t, s.Attribute(key), "%s: %s names %s", s.Name, where, key)
			}
			assert.Len(t, slices.Compact(slices.Sorted(slices.Values(l.all()))), len(l.all()), "%s: %s names a key twice", s.Name, where)
		}
		for _, x := range s.Spans {
			check(x.Span, x.Levels)
			if x.Refines == "" {
				assert.Contains(t, []string{"client", "server", "internal"}, x.Kind, "%s: %s", s.Name, x.Span)
				continue
			}
			assert.True(t, slices.ContainsFunc(s.Spans, func(o Span) bool { return o.Span == x.Refines && o.Refines == "" }), "%s: %s refines %s", s.Name, x.Span, x.Refines)
		}
		for _, x := range s.Metrics {
			check(x.Metric, x.Levels)
			assert.True(t, slices.IsSorted(x.Buckets), x.Metric)
			assert.NotEmpty(t, x.Unit, x.Metric)
			assert.Contains(t, []string{"histogram", "counter"}, x.Instrument, x.Metric)
		}
		for _, x := range s.Events {
			check(x.Event, x.Levels)
		}
		for _, x := range s.Entities {
			check(x.Entity, Levels{Required: x.Identity, Recommended: x.Description})
		}
		checkOperations(t, s)
	}
}

func checkOperations(t *testing.T, s *Snapshot) {
	named := s.Attribute(GenAIOperationName).Values
	require.Len(t, s.Operations, len(named), s.Name)
	for _, op := range s.Operations {
		assert.Contains(t, named, op.Operation, s.Name)
		for _, part := range strings.Split(op.Name, "{")[1:] {
			key, _, ok := strings.Cut(part, "}")
			assert.True(t, ok && s.Attribute(key) != nil, "%s: name of %s", s.Name, op.Operation)
		}
	}
}

// A key that holds content in one snapshot holds it in all.
func TestContentIsContentInEverySnapshot(t *testing.T) {
	flags := map[string]bool{}
	for _, s := range Chain() {
		for _, a := range s.Attributes {
			was, seen := flags[a.Key]
			assert.True(t, !seen || was == a.Content, "%s: %s", s.Name, a.Key)
			flags[a.Key] = a.Content
		}
	}
}
