package agents

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/internal/synth"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func compile(t testing.TB) *mapping.Tables {
	t.Helper()
	files := map[string][]byte{}
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := mapping.Compile(files, snapshot, mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func settings() synth.Settings {
	return synth.Settings{
		Contexts: synth.Auto, Listens: true, Wait: 10 * time.Second, Settle: time.Second, Idle: 30 * time.Second, Keep: time.Hour,
		MaxTurns: 1000, MaxBytes: 64 << 20, Scope: "join", ScopeVersion: "1",
	}
}

// spans are those of a run, united by id.
type spans map[string]*evidence.Span

func (s spans) add(td ptrace.Traces) {
	for _, n := range evidence.FromTraces(td) {
		key := n.ID.String()
		if old := s[key]; old != nil {
			n = evidence.MergeSpan(*old, n)
		}
		s[key] = &n
	}
}

// run maps and joins batches of records and spans as they come; the spans come
// after the records.
func run(tables *mapping.Tables, sent ...telemetry) (spans, []plog.Logs) {
	got, now := spans{}, time.UnixMilli(zero)
	state := synth.NewState(settings())
	var logs []plog.Logs
	for _, s := range sent {
		tables.MapLogs(s.logs)
		logs = append(logs, s.logs)
		now = now.Add(time.Millisecond)
		got.add(synth.Step(state, s.logs, now).Traces)
		tables.MapTraces(s.traces)
		got.add(s.traces)
		got.add(synth.Learn(state, s.traces, now).Traces)
	}
	got.add(synth.Tick(state, now.Add(time.Minute)).Traces)
	return got, logs
}

// quiet keys are equal on every span of a sample and say nothing of the tree.
var quiet = []string{"app.mapping.snapshot", "app.harness.name", "app.mapping.original_name"}

// tree prints the spans below their parents, without what the agent alone says.
func (s spans) tree(whole bool) string {
	var b strings.Builder
	list := slices.SortedFunc(maps.Values(s), func(a, b *evidence.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), strings.Compare(a.Name, b.Name), strings.Compare(a.ID.String(), b.ID.String()))
	})
	number := map[evidence.TraceID]int{}
	for _, x := range list {
		if number[x.ID.Trace] == 0 {
			number[x.ID.Trace] = len(number) + 1
		}
	}
	var print func(x *evidence.Span, depth int)
	print = func(x *evidence.Span, depth int) {
		pad := strings.Repeat("  ", depth)
		fmt.Fprintf(&b, "%s%s [%d..%d] %s %s", pad, x.Name, ms(x.Start), ms(x.End), x.Kind, x.Status)
		if depth == 0 {
			fmt.Fprintf(&b, " trace%d", number[x.ID.Trace])
			if x.Parent != (evidence.SpanID{}) {
				b.WriteString(" parent elsewhere")
			}
		}
		b.WriteByte('\n')
		for _, k := range slices.Sorted(maps.Keys(x.Attrs)) {
			if !slices.Contains(quiet, k) && (whole || strings.HasPrefix(k, "app.") || strings.HasPrefix(k, "gen_ai.") || k == "error.type") {
				fmt.Fprintf(&b, "%s  . %s=%v\n", pad, k, x.Attrs[k])
			}
		}
		for _, l := range x.Links {
			fmt.Fprintf(&b, "%s  -> trace%d %s\n", pad, number[l.To.Trace], l.Relation)
		}
		for _, e := range x.Events {
			fmt.Fprintf(&b, "%s  * %s\n", pad, e.Name)
		}
		for _, kid := range list {
			if kid.ID.Trace == x.ID.Trace && kid.Parent == x.ID.Span {
				print(kid, depth+1)
			}
		}
	}
	for _, x := range list {
		if s[x.ID.Trace.String()+"/"+x.Parent.String()] == nil {
			print(x, 0)
		}
	}
	return b.String()
}

func ms(ns int64) int64 { return ns/1e6 - zero }

// events are the names of the mapped records, counted.
func events(logs []plog.Logs) string {
	count := map[string]int{}
	for _, ld := range logs {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					name := r.EventName()
					if v, ok := r.Attributes().Get("event.name"); ok && name == "" {
						name = v.Str()
					}
					count[name]++
				}
			}
		}
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "%d %q\n", count[k], k)
	}
	return b.String()
}
