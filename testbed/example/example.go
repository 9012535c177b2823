// Package example reads a folder of examples/ and plays it.
//
// Words:
//
//   - input: OTLP/JSON requests, sent in the order of their names
//   - config: an overlay of preset:agent that the example needs, if any
//   - expected: what the commands print afterwards, byte for byte
//   - task: the task that the review is of, the text of expected/task
//
// The package starts no collector.
package example

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/testbed/replay"
)

// Example is one folder.
type Example struct {
	Folder   string // absolute
	Task     string
	Config   string // absolute path of the overlay, "" if there is none
	Requests []replay.Request
}

// Read reads the folder of an example.
func Read(folder string) (Example, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return Example{}, err
	}
	ex := Example{Folder: folder}
	task, err := os.ReadFile(filepath.Join(folder, "expected", "task"))
	if err != nil {
		return Example{}, err
	}
	if ex.Task = strings.TrimSpace(string(task)); ex.Task == "" {
		return Example{}, fmt.Errorf("%s: must name a task", filepath.Join(folder, "expected", "task"))
	}
	config := filepath.Join(folder, "config.yaml")
	if _, err := os.Stat(config); err == nil {
		ex.Config = config
	}
	ex.Requests, err = replay.Read(filepath.Join(folder, "input"))
	return ex, err
}

// Args are the arguments of the collector that the example needs.
func (e Example) Args() []string {
	if e.Config == "" {
		return nil
	}
	return []string{"--config=file:" + e.Config}
}

// Play posts the requests in order to an OTLP/HTTP address.
func (e Example) Play(ctx context.Context, endpoint string) error {
	return replay.SendAll(ctx, endpoint, e.Requests)
}
