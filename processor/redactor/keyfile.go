package redactor

import (
	"crypto/rand"
	"os"

	"github.com/otelcol-agent/otelcol-agent/internal/keyfile"
)

const newKeyBytes = keyfile.NewBytes

func defaultKeyFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return keyfile.Beside(os.Getenv("XDG_DATA_HOME"), home)
}

func loadKey(path string) (string, error) { return keyfile.Load(path, rand.Reader) }
