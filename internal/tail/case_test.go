package tail_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

var update = flag.Bool("update", false, "rewrite the expected part of the cases")

// TestCases plays every case of testdata/cases. Its comment says what it proves.
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
			if !strings.HasPrefix(string(a.Comment), "# ") {
				t.Fatal("the first line must say what the case proves")
			}
			part := map[string]*txtar.File{}
			for i := range a.Files {
				part[a.Files[i].Name] = &a.Files[i]
			}
			for _, name := range []string{"policy", "script", "want"} {
				if part[name] == nil {
					a.Files = append(a.Files, txtar.File{Name: name})
					part[name] = &a.Files[len(a.Files)-1]
				}
			}
			got := play(t, settings(t, string(part["policy"].Data)), string(part["script"].Data))
			if *update {
				part["want"].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(part["want"].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// settings reads "key value" lines over defaults that drop every ordinary run.
func settings(t *testing.T, lines string) tail.Settings {
	set := tail.Settings{
		DecisionWait: 10 * time.Second, MaxWait: 10 * time.Minute, MemoryBytes: 1 << 20, Remember: 1024,
		RetryMin: time.Second, RetryMax: 30 * time.Second,
		Policy: tail.Policy{Unprotected: map[string]bool{}},
	}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		number, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "ratio":
			set.Policy.Ratio = number
		case "memory_bytes":
			set.MemoryBytes = int64(number)
		case "remember":
			set.Remember = int(number)
		case "max_wait":
			set.MaxWait, _ = time.ParseDuration(f[1])
		case "unprotected":
			set.Policy.Unprotected[f[1]] = true
		case "storage": // storage BYTES
			set.DiskBytes, set.Limbo, set.RestInMemory = int64(number), true, 30*time.Second
		case "decision_wait":
			set.DecisionWait, _ = time.ParseDuration(f[1])
		case "dry_run":
			set.DryRun = true
		case "rule": // rule NAME KEEP ATTRIBUTE=VALUE
			keep, _ := strconv.ParseFloat(f[2], 64)
			k, v, _ := strings.Cut(f[3], "=")
			set.Policy.Rules = append(set.Policy.Rules, tail.Rule{Name: f[1], Keep: keep, Match: has(k, v)})
		default:
			if !limit(&set.Policy, f, number) {
				t.Fatalf("unknown setting %q", f[0])
			}
		}
	}
	return set
}

func has(k, v string) func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool {
	return func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, s ptrace.Span) bool {
		have, ok := s.Attributes().Get(k)
		return ok && have.Str() == v
	}
}
