package synth

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A script is a list of lines:
//
//	set mode=closed idle=30s …        settings
//	resource service.name=x …         resource of the records that follow
//	default app.session.id=s …        attributes of every record that follows
//	1000 app.tool.completed k=v …     a record, at milliseconds
//	span 1000 2450 ctx=ab/cd below=ef k=v …  a span that the agent sent itself
//	---                               the records so far are one batch
//	tick 30s                          time passes
//	stop
//
// Values are numbers, true, false, [lists] or strings. took=5170 is a duration
// in milliseconds, ctx=ab/cd a trace and span id (padded with zeros).
type script struct {
	set     Settings
	batches []step
}

type step struct {
	logs plog.Logs
	real ptrace.Traces
	hear bool
	wait time.Duration
	stop bool
}

var epoch = time.Unix(1_700_000_000, 0)

func defaults() Settings {
	return Settings{Settle: 2 * time.Second, Idle: 30 * time.Second, Keep: time.Hour, MaxTurns: 1000, MaxBytes: 64 << 20, Scope: "synth", ScopeVersion: "1"}
}

func parse(t testing.TB, text string) script {
	t.Helper()
	sc := script{set: defaults()}
	resource, common := "", ""
	logs := plog.NewLogs()
	flush := func() {
		if logs.LogRecordCount() > 0 {
			sc.batches = append(sc.batches, step{logs: logs})
			logs = plog.NewLogs()
		}
	}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "set":
			configure(t, &sc.set, rest)
		case word == "resource":
			resource = rest
		case word == "default":
			common = rest
		case word == "---":
			flush()
		case word == "span":
			flush()
			sc.batches = append(sc.batches, step{real: realSpan(t, resource, rest), hear: true})
		case word == "tick":
			flush()
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			sc.batches = append(sc.batches, step{wait: d})
		case word == "stop":
			flush()
			sc.batches = append(sc.batches, step{stop: true})
		default:
			ms, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			name, attrs, _ := strings.Cut(rest, " ")
			appendRecord(t, logs, resource, ms, name, common+" "+attrs)
		}
	}
	flush()
	return sc
}

func configure(t testing.TB, set *Settings, text string) {
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		d, _ := time.ParseDuration(v)
		n, _ := strconv.Atoi(v)
		switch k {
		case "mode":
			set.Mode = map[string]Mode{"live": Live, "closed": Closed, "stateless": Stateless}[v]
		case "idle":
			set.Idle = d
		case "wait":
			set.Wait, set.Listens = d, true
		case "settle":
			set.Settle = d
		case "keep":
			set.Keep = d
		case "contexts":
			set.Contexts = map[string]Contexts{"span": Span, "record": Record, "auto": Auto}[v]
		case "turns":
			set.MaxTurns = n
		default:
			t.Fatalf("unknown setting %q", k)
		}
	}
}

func appendRecord(t testing.TB, logs plog.Logs, resource string, ms int64, name, attrs string) {
	rls := logs.ResourceLogs()
	var rl plog.ResourceLogs
	want := pcommon.NewMap()
	fields(t, want, resource)
	if rls.Len() > 0 && rls.At(rls.Len()-1).Resource().Attributes().Equal(want) {
		rl = rls.At(rls.Len() - 1)
	} else {
		rl = rls.AppendEmpty()
		want.CopyTo(rl.Resource().Attributes())
		rl.ScopeLogs().AppendEmpty()
	}
	lr := rl.ScopeLogs().At(0).LogRecords().AppendEmpty()
	lr.SetEventName(name)
	if ms > 0 {
		lr.SetTimestamp(at(ms))
	}
	lr.Body().SetStr("BODY-CONTENT")
	m := pcommon.NewMap()
	fields(t, m, attrs)
	for k, v := range m.All() {
		switch k {
		case "took":
			lr.Attributes().PutDouble("app.event.duration", float64(v.Int())/1000)
		case "ctx":
			trace, span, _ := strings.Cut(v.Str(), "/")
			lr.SetTraceID(pcommon.TraceID(pad(t, trace, 16)))
			if span != "" {
				lr.SetSpanID(pcommon.SpanID(pad(t, span, 8)))
			}
		default:
			v.CopyTo(lr.Attributes().PutEmpty(k))
		}
	}
}

func at(ms int64) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(epoch.Add(time.Duration(ms) * time.Millisecond))
}

func pad(t testing.TB, s string, n int) []byte {
	b, err := hex.DecodeString(strings.Repeat("0", 2*n-len(s)) + s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fields(t testing.TB, m pcommon.Map, text string) {
	for _, f := range strings.Fields(text) {
		k, v, ok := strings.Cut(f, "=")
		if !ok {
			t.Fatalf("%q has no value", f)
		}
		if err := m.PutEmpty(k).FromRaw(value(v)); err != nil {
			t.Fatal(err)
		}
	}
}

func value(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	if s == "true" || s == "false" {
		return s == "true"
	}
	if strings.HasPrefix(s, "[") {
		list := []any{}
		for _, item := range strings.Split(strings.Trim(s, "[]"), ",") {
			list = append(list, item)
		}
		return list
	}
	return s
}

// play runs a script and returns what arrived, united, and one line a call.
func play(t testing.TB, sc script) (*collected, []string) {
	s, now, got := NewState(sc.set), epoch, newCollected()
	var log []string
	note := func(what string, out Output) {
		got.add(out.Traces)
		line := fmt.Sprintf("%s: %d spans", what, out.Traces.SpanCount())
		for i, n := range out.Records {
			if n > 0 && Outcome(i) != Joined {
				line += fmt.Sprintf(", %d %s", n, Outcome(i))
			}
		}
		for i, n := range out.Closed {
			if n > 0 {
				line += fmt.Sprintf(", %d %s", n, Reason(i))
			}
		}
		log = append(log, line)
	}
	for _, b := range sc.batches {
		switch {
		case b.hear:
			got.add(b.real)
			note("spans", Learn(s, b.real, now))
		case b.stop:
			note("stop", Stop(s))
		case b.wait > 0:
			now = now.Add(b.wait)
			note("tick "+b.wait.String(), Tick(s, now))
		default:
			note("batch", Step(s, b.logs, now))
		}
	}
	return got, log
}

// realSpan reads START END and attributes.
func realSpan(t testing.TB, resource, text string) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	fields(t, rs.Resource().Attributes(), resource)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	begin, text, _ := strings.Cut(text, " ")
	end, text, _ := strings.Cut(text, " ")
	from, _ := strconv.ParseInt(begin, 10, 64)
	to, _ := strconv.ParseInt(end, 10, 64)
	span.SetStartTimestamp(at(from))
	span.SetEndTimestamp(at(to))
	span.SetKind(ptrace.SpanKindInternal)
	m := pcommon.NewMap()
	fields(t, m, text)
	for k, v := range m.All() {
		switch k {
		case "ctx":
			trace, id, _ := strings.Cut(v.Str(), "/")
			span.SetTraceID(pcommon.TraceID(pad(t, trace, 16)))
			span.SetSpanID(pcommon.SpanID(pad(t, id, 8)))
		case "below":
			span.SetParentSpanID(pcommon.SpanID(pad(t, v.AsString(), 8)))
		case "name":
			span.SetName(v.Str())
		default:
			v.CopyTo(span.Attributes().PutEmpty(k))
		}
	}
	return td
}
