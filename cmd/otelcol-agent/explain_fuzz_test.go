package main

import (
	"os"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// FuzzParseRecording: whatever the bytes are, they are refused or explained.
func FuzzParseRecording(f *testing.F) {
	seed, err := os.ReadFile(recordedRuns)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte("\x00\x00\x00\x02\x0a\x00"))
	f.Add([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		in, err := parseRecording(data)
		if err != nil {
			return
		}
		in.mapped()
		_, _ = tail.Explain(tail.Policy{Ratio: 0.5, FoldAbove: 2, RunBytes: 100}, in.traces, in.logs)
	})
}
