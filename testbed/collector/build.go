package collector

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BinaryVariable names a binary to use instead of building one.
const BinaryVariable = "OTELCOL_AGENT_BIN"

// Build returns the path of a binary: the one that OTELCOL_AGENT_BIN names, else
// one built from the repository at root into dir.
func Build(ctx context.Context, root, dir string) (string, error) {
	if path := os.Getenv(BinaryVariable); path != "" {
		path, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		_, err = os.Stat(path)
		return path, err
	}
	path := filepath.Join(dir, "otelcol-agent")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/otelcol-agent")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/otelcol-agent: %w\n%s", err, out)
	}
	return path, nil
}
