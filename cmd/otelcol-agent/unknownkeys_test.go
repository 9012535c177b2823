package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"gopkg.in/yaml.v3"
)

// strictSays returns what the converter says of a configuration, a line each.
func strictSays(t *testing.T, text string) []string {
	t.Helper()
	err := strictError(t, text)
	require.Error(t, err)
	return strings.Split(err.Error(), "\n")
}

func strictError(t *testing.T, text string) error {
	t.Helper()
	var m map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &m))
	return strict{components}.Convert(context.Background(), confmap.NewFromStringMap(m))
}

func TestUnknownKeysDoNotHideTheRest(t *testing.T) {
	said := strictSays(t, `
receivers:
  otlp: {protocols: {grpc: {endpont: "127.0.0.1:1"}}}
  lenientotlp: {max_nestin: 3, protocols: {http: {endpoint: "127.0.0.1:1"}}}
processors:
  redactor: {atributes: {}, nothing_like_it: 1, content: burn}
  genaimapper: {dialects: {fils: [a.yaml]}, content: nope}
exporters:
  evidencestore: {timeout: banana, retension: {evidence: -1h}}
`)
	require.Contains(t, said, "receivers::otlp::protocols::grpc::endpont is no key of this component; did you mean endpoint")
	require.Contains(t, said, "receivers::lenientotlp::max_nestin is no key of this component; did you mean max_nesting")
	require.Contains(t, said, "receivers::lenientotlp::protocols is no key of this component")
	require.Contains(t, said, "processors::redactor::atributes is no key of this component; did you mean attributes")
	require.Contains(t, said, "processors::redactor::nothing_like_it is no key of this component")
	require.Contains(t, said, "processors::genaimapper::dialects::fils is no key of this component; did you mean files")
	require.Contains(t, said, "exporters::evidencestore::retension is no key of this component; did you mean retention")
	all := strings.Join(said, "\n")
	require.Contains(t, all, "processors::redactor: content")
	require.Contains(t, all, "processors::genaimapper: content")
	require.Contains(t, all, "exporters::evidencestore: 'timeout'")
	require.NotContains(t, all, decodingLine)
	require.NotContains(t, said, "")
}

// Parts that read themselves, and servers of the collector in them, are no exception.
func TestUnknownKeysHideNothingOfTheirOwnComponent(t *testing.T) {
	said := strictSays(t, `
processors:
  tailpolicy: {overflw: drop, baseline: {ratio: 2}}
extensions:
  review: {reader: 1, mcp: {enabld: true}, readers: -1}
`)
	require.Contains(t, said, "processors::tailpolicy::overflw is no key of this component; did you mean overflow")
	require.Contains(t, said, "processors::tailpolicy: baseline.ratio must be from 0 to 1, found 2")
	require.Contains(t, said, "extensions::review::reader is no key of this component; did you mean readers")
	require.Contains(t, said, "extensions::review::mcp::enabld is no key of this component; did you mean enabled")
	require.Contains(t, said, "extensions::review: readers must be 0 or more, found -1")
}

func TestNearest(t *testing.T) {
	words := []string{"attributes", "files", "name"}
	for key, want := range map[string]string{
		"atributes": "attributes", "attribtues": "attributes", "Files": "files", "nam": "name",
		"x": "", "other": "", "fles_of_it": "",
	} {
		require.Equal(t, want, nearest(key, words), key)
	}
	require.Equal(t, 3, edits("kitten", "sitting"))
	require.Equal(t, 4, edits("", "name"))
}
