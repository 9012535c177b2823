package mapping

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var compiledInto = map[string]*Tables{}

// embeddedInto compiles the built-in dialects for another target, once.
func embeddedInto(t testing.TB, target string) *Tables {
	t.Helper()
	if tables := compiledInto[target]; tables != nil {
		return tables
	}
	snapshot, err := semconv.LoadSnapshot(target)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	tables, err := Compile(files, snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	compiledInto[target] = tables
	return tables
}

func otherTargets(t *testing.T, f func(t *testing.T, target string, tables *Tables)) {
	for _, target := range semconv.SnapshotNames() {
		if target != semconv.DefaultSnapshot {
			t.Run(target, func(t *testing.T) { f(t, target, embeddedInto(t, target)) })
		}
	}
}

func spanLines(td ptrace.Traces) string {
	var b strings.Builder
	eachSpan(td, func(s ptrace.Span) {
		fmt.Fprintf(&b, "span %q %s\n%s", s.Name(), s.Kind(), raw(s))
		for _, e := range s.Events().All() {
			fmt.Fprintf(&b, "  event %s %v\n", e.Name(), e.Attributes().AsRaw())
		}
	})
	return b.String()
}

func logLines(ld plog.Logs) string {
	var b strings.Builder
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				fmt.Fprintf(&b, "log %q %v\n", r.EventName(), r.Body().AsRaw())
				m := r.Attributes().AsRaw()
				for _, k := range sortedKeys(m) {
					fmt.Fprintf(&b, "  %s = %v\n", k, m[k])
				}
			}
		}
	}
	return b.String()
}

// withoutStrays leaves out what a dialect left under a name that only the target
// has: on the way it is set aside, or goes because the fact says the same.
func withoutStrays(td ptrace.Traces) string {
	var out []string
	for _, line := range strings.Split(spanLines(td), "\n") {
		if !strings.HasPrefix(strings.TrimPrefix(line, semconv.AppOriginal+"."), semconv.GenAISystem+" = ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// Whatever the emitter and the target: mapping twice is mapping once, and a
// second collector with the default target makes of it what it would have made
// of the emitter's own record.
func TestAnyTargetLeadsBackToTheDefault(t *testing.T) {
	home := embedded(t, Options{})
	otherTargets(t, func(t *testing.T, target string, tables *Tables) {
		samples(t, func(name string, td ptrace.Traces) {
			direct := ptrace.NewTraces()
			td.CopyTo(direct)
			home.MapTraces(direct)
			tables.MapTraces(td)
			once := traceBytes(t, td)
			tables.MapTraces(td)
			if !bytes.Equal(once, traceBytes(t, td)) {
				t.Errorf("%s changes when it is mapped again", name)
			}
			home.MapTraces(td)
			if diff := cmp.Diff(withoutStrays(direct), withoutStrays(td)); diff != "" {
				t.Errorf("%s by way of %s (-direct +back)\n%s", name, target, diff)
			}
		}, func(name string, ld plog.Logs) {
			direct := plog.NewLogs()
			ld.CopyTo(direct)
			home.MapLogs(direct)
			tables.MapLogs(ld)
			once := logBytes(t, ld)
			tables.MapLogs(ld)
			if !bytes.Equal(once, logBytes(t, ld)) {
				t.Errorf("%s changes when it is mapped again", name)
			}
			home.MapLogs(ld)
			if diff := cmp.Diff(logLines(direct), logLines(ld)); diff != "" {
				t.Errorf("%s by way of %s (-direct +back)\n%s", name, target, diff)
			}
		})
	})
}

// No record that is mapped to a target keeps a name that the target has under
// another one.
func TestNothingIsLeftUnderAnotherSnapshotsName(t *testing.T) {
	otherTargets(t, func(t *testing.T, target string, tables *Tables) {
		samples(t, func(name string, td ptrace.Traces) {
			counted := int64(0) // values that could not move
			for _, c := range tables.MapTraces(td).Left {
				if c.Name == reasonNames[leftConflict] || c.Name == reasonNames[leftType] {
					counted += c.N
				}
			}
			eachSpan(td, func(s ptrace.Span) {
				if _, mapped := s.Attributes().Get(semconv.AppMappingSnapshot); !mapped {
					return
				}
				for key := range s.Attributes().All() {
					k := tables.goal.keys[key]
					if k == nil || k.native {
						continue
					}
					for i := range k.moves {
						if len(k.moves[i].where) == 0 && len(k.moves[i].folded) == 0 {
							counted--
						}
					}
				}
			})
			if counted < 0 {
				t.Errorf("%s has keys of another snapshot than %s", name, target)
			}
		}, func(string, plog.Logs) {})
	})
}

// The mapper takes metrics of every snapshot to every target, twice is once, and
// durations come out in seconds under whatever name.
func TestMetricsOfAnySnapshotToAnyTarget(t *testing.T) {
	everyPair(t, func(t *testing.T, r *rand.Rand, from, to *semconv.Snapshot) {
		tables := embeddedInto(t, to.Name)
		for range 40 {
			md := pmetric.NewMetrics()
			list := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
			randomMetrics(r, from.Metrics, from).MoveAndAppendTo(list)
			points := md.DataPointCount()
			tables.MapMetrics(md)
			if md.DataPointCount() != points {
				t.Fatal("a data point was lost or made")
			}
			once, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list.All() {
				if m.Unit() == "ms" && strings.HasSuffix(m.Name(), ".duration") {
					t.Errorf("%s is still in milliseconds", m.Name())
				}
			}
			before := streams(list)
			tables.MapMetrics(md)
			twice, _ := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
			if !bytes.Equal(once, twice) {
				t.Fatalf("twice:\n%s", cmp.Diff(before, streams(list)))
			}
		}
	})
}
