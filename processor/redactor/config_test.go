package redactor

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// entries loads each entry of a file over the defaults.
func entries(t *testing.T, name string) map[string]*Config {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", name))
	require.NoError(t, err)
	out := map[string]*Config{}
	for id := range conf.ToStringMap() {
		sub, err := conf.Sub(id)
		require.NoError(t, err)
		cfg := createDefaultConfig().(*Config)
		require.NoError(t, sub.Unmarshal(cfg), id)
		out[strings.TrimPrefix(id, "redactor/")] = cfg
	}
	return out
}

func TestAcceptedConfigs(t *testing.T) {
	for name, cfg := range entries(t, "accepted.yaml") {
		assert.NoError(t, cfg.Validate(), name)
	}
}

func TestRefusedConfigsNameTheirKey(t *testing.T) {
	for key, cfg := range entries(t, "refused.yaml") {
		assert.ErrorContains(t, cfg.Validate(), key)
	}
}

func TestProblemsAreReportedTogether(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Content, cfg.PersonIDs, cfg.DigestKey = "hash", "hash", "short secret"
	err := cfg.Validate()
	assert.ErrorContains(t, err, "content must")
	assert.ErrorContains(t, err, "person_ids must")
	assert.ErrorContains(t, err, "digest_key must")
	assert.NotContains(t, err.Error(), "short secret")
}

func TestDefaultKeyFileFollowsTheDataFolder(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	assert.Equal(t, filepath.Join(data, "otelcol-agent", "redaction.key"), defaultKeyFile())
	t.Setenv("XDG_DATA_HOME", "relative")
	t.Setenv("HOME", data)
	assert.Equal(t, filepath.Join(data, ".local", "share", "otelcol-agent", "redaction.key"), defaultKeyFile())
}

func TestAnEmptyListOfVendorsReplacesTheDefault(t *testing.T) {
	cfg := entries(t, "accepted.yaml")
	assert.Equal(t, []string{"ot"}, cfg["defaults"].Tracestate.Allow)
	assert.Empty(t, cfg["no_context"].Tracestate.Allow)
}

// Every key stands in the README's table, and none that is not there.
func TestReadmeListsEveryKey(t *testing.T) {
	var keys func(prefix string, of reflect.Type) []string
	keys = func(prefix string, of reflect.Type) (out []string) {
		for i := range of.NumField() {
			f := of.Field(i)
			switch name := f.Tag.Get("mapstructure"); {
			case name == "":
			case f.Type.Kind() == reflect.Struct:
				out = append(out, keys(prefix+name+".", f.Type)...)
			default:
				out = append(out, prefix+name)
			}
		}
		return out
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	table, _, _ := strings.Cut(string(readme), "\n## ")
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, m[1])
	}
	assert.ElementsMatch(t, keys("", reflect.TypeOf(Config{})), listed)
}
