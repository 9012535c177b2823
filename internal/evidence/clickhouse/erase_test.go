package clickhouse

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No column that can hold a text is left out of an erasure, whatever its type.
func TestErasureLooksIntoEveryText(t *testing.T) {
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	all, err := objects(known, layout{database: "d"})
	require.NoError(t, err)
	columns := 0
	for _, o := range all {
		if o.view {
			continue
		}
		where := mentionedIn(o, "it's")
		for _, c := range o.columns {
			named := regexp.MustCompile(`\b` + c.name + `\b`).MatchString(where)
			if holdsText := regexp.MustCompile(`\bString\b`).MatchString(c.kind) && !c.computed; holdsText != named {
				t.Errorf("%s.%s %s: looked into %t", o.name, c.name, c.kind, named)
			}
			columns++
		}
		require.NotContains(t, where, "it's", "the subject is quoted")
	}
	require.Greater(t, columns, 150)
	require.Equal(t, `position(a, 'x') > 0`, holds("String", "a", "'x'"))
	require.Empty(t, holds("Map(UInt8, Int64)", "a", "'x'"))
	require.Equal(t, 2, strings.Count(holds("Map(LowCardinality(String), Array(String))", "a", "'x'"), "position("))
}

func TestClusterIsReadFromTheTables(t *testing.T) {
	for engine, want := range map[string]string{
		"Distributed('main', 'evidence', 'spans_local', cityHash64(task_id))": "main",
		"Distributed(main, evidence, spans_local)":                            "main",
		"ReplacingMergeTree(ver) PARTITION BY x":                              "",
	} {
		got := ""
		if m := distributedPattern.FindStringSubmatch(engine); m != nil {
			got = m[1]
		}
		require.Equal(t, want, got, engine)
	}
}
