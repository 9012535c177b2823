package judge_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

var update = flag.Bool("update", false, "rewrite the expected part of the cases")

var now = time.Unix(1_800_000_100, 0).UTC()

// TestCases turns the OTLP logs of every case into verdict spans. A record of a
// case is a JSON object of attributes; the keys trace, span, time, event and
// tenant are the record's own.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(a.Comment), "# ") || len(a.Files) == 0 {
				t.Fatal("the first line must say what the case proves, the first part be the records")
			}
			if len(a.Files) == 1 {
				a.Files = append(a.Files, txtar.File{Name: "want"})
			}
			logs := records(t, a.Files[0].Data)
			traces, counts := judge.Traces(logs, now)
			got := describe(traces, counts)
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if list := strings.Fields(ids(traces)); len(list) != len(slices.Compact(slices.Sorted(slices.Values(list)))) {
				t.Error("two results of the case are one span")
			}
			again, _ := judge.Traces(logs, now.Add(time.Hour))
			if ids(traces) != ids(again) {
				t.Error("the same results came out under other ids")
			}
		})
	}
}

func records(t *testing.T, data []byte) plog.Logs {
	t.Helper()
	logs := plog.NewLogs()
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var rec map[string]any
		if err := d.Decode(&rec); err != nil {
			t.Fatal(err)
		}
		rl := logs.ResourceLogs().AppendEmpty()
		lr := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		lr.SetEventName("gen_ai.evaluation.result")
		lr.SetTimestamp(1_800_000_000_000_000_000)
		for k, v := range rec {
			switch k {
			case "trace":
				lr.SetTraceID(traceID(t, v.(string)))
			case "span":
				lr.SetSpanID(spanID(t, v.(string)))
			case "time":
				lr.SetTimestamp(0)
				if v != nil {
					at, err := time.Parse(time.RFC3339, v.(string))
					if err != nil {
						t.Fatal(err)
					}
					lr.SetTimestamp(stamp(at))
				}
			case "event":
				lr.SetEventName(v.(string))
			case "tenant":
				rl.Resource().Attributes().PutStr("tenant.id", v.(string))
			default:
				if err := lr.Attributes().PutEmpty(k).FromRaw(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return logs
}

func describe(traces ptrace.Traces, counts map[judge.Count]int64) string {
	var out strings.Builder
	var lines []string
	for c, n := range counts {
		lines = append(lines, fmt.Sprintf("%d %s %s comparable=%v\n", n, c.Outcome, c.Verdict, c.Comparable))
	}
	slices.Sort(lines)
	for _, l := range lines {
		out.WriteString(l)
	}
	for _, s := range evidence.FromTraces(traces) {
		fmt.Fprintf(&out, "\nspan %q %s %s", s.Name, s.Kind, s.Status)
		if s.Tenant != "" {
			fmt.Fprintf(&out, " of tenant %s", s.Tenant)
		}
		fmt.Fprintf(&out, "\n  %s .. %s\n", when(s.Start), when(s.End))
		keys := make([]string, 0, len(s.Attrs))
		for k := range s.Attrs {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			fmt.Fprintf(&out, "  %s = %v\n", k, s.Attrs[k])
		}
		for _, l := range s.Links {
			fmt.Fprintf(&out, "  -> %s %s\n", l.To, l.Relation)
		}
	}
	return out.String()
}

func when(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

func ids(traces ptrace.Traces) string {
	var out []string
	for _, s := range evidence.FromTraces(traces) {
		out = append(out, s.ID.String())
	}
	return strings.Join(out, " ")
}
