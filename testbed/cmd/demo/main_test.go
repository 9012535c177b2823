package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// What the demo prints as commands gives the same when it is pasted afterwards,
// in another shell.
func TestPrintedCommandsCanBePasted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	bin := os.Getenv("OTELCOL_AGENT_BIN")
	if bin == "" {
		var err error
		if bin, err = collector.Build(ctx, "../../..", t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	if err := run(ctx, &out, "../../../examples/deploy-incident", bin); err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^\$ otelcol-agent (.*)$`).FindAllStringSubmatch(out.String(), -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands are printed, want 2", len(commands))
	}
	for _, c := range commands {
		cmd := exec.CommandContext(ctx, bin, strings.Fields(c[1])...)
		cmd.Env = []string{"HOME=" + t.TempDir()}
		got, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c[1], err)
		}
		if len(got) == 0 || !strings.Contains(out.String(), string(got)) {
			t.Errorf("%s: prints something else than the demo:\n%s", c[1], got)
		}
	}
}
