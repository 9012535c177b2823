package configkeys

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type own struct {
	File string `mapstructure:"file"`
}

func (*own) Unmarshal() {}

type server struct {
	Endpoint string `mapstructure:"endpoint"`
	TLS      own    `mapstructure:"tls"`
}

type config struct {
	Server server `mapstructure:",squash"`
	Tools  struct {
		Enabled bool `mapstructure:"enabled"`
	} `mapstructure:"tools"`
	Names  map[string]int `mapstructure:"names"`
	Hidden string         `mapstructure:"-"`
}

func TestKeysThatExist(t *testing.T) {
	require.NoError(t, Check(map[string]any{
		"endpoint": "127.0.0.1:1",
		"tls":      map[string]any{"its": "own matter"},
		"tools":    map[string]any{"enabled": true},
		"names":    map[string]any{"any": 1},
	}, &config{}))
	require.NoError(t, Check(map[string]any{"tools": nil}, &config{}))
}

func TestKeysThatDoNotExist(t *testing.T) {
	require.EqualError(t, Check(map[string]any{
		"endpont": "x", "-": 1, "tools": map[string]any{"enabld": true},
	}, &config{}), "has invalid keys: -, endpont, enabld")
}
