package synth

import (
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// FuzzStep feeds records made from arbitrary bytes, in two cuts, to one state.
// Whatever comes: no panic, limits hold, spans are well-formed, a record that
// is sent again makes no new id, and nothing but listed keys is copied.
func FuzzStep(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"), uint8(3))
	f.Add([]byte("app.tool.decided then app.tool.completed, over and over again"), uint8(7))
	names := eventNames()
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		set := defaults()
		set.MaxTurns, set.Mode, set.Contexts = 4, Mode(cut&1), Contexts(cut>>1&1)
		s := NewState(set)
		logs, now := recordsOf(data, names), epoch
		ids := map[string]bool{}
		check := func(out Output) {
			checkSpans(t, out, ids)
			if u := s.Usage(); u.Open+u.Settled > set.MaxTurns || u.Bytes < 0 {
				t.Fatalf("%+v", u)
			}
		}
		check(Step(s, logs, now))
		first := len(ids)
		if s.Usage().Open+s.Usage().Settled < set.MaxTurns { // nothing was evicted
			check(Step(s, logs, now.Add(time.Second)))
			if len(ids) != first {
				t.Fatal("records that were sent again made new ids")
			}
		}
		out := Tick(s, now.Add(time.Minute))
		Restore(out)
		check(Tick(s, now.Add(2*time.Minute)))
		check(Stop(s))
		Tick(s, now.Add(3*time.Hour))
		if u := s.Usage(); u != (Usage{}) {
			t.Fatalf("%+v is left", u)
		}
	})
}

func eventNames() []string {
	names := []string{"other"}
	for n := range rules {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// recordsOf reads a program: each byte picks an event, a key or a value.
func recordsOf(data []byte, names []string) plog.Logs {
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	keyNames := append([]string{"app.event.duration", "app.mapping.inferred", "gen_ai.input.messages", "app.session.id", "app.turn.id",
		"gen_ai.tool.call.id", "app.agent.instance.id", "app.agent.parent.instance.id", "app.permission.decision"}, keys().names...)
	for len(data) >= 4 && records.Len() < 64 {
		lr := records.AppendEmpty()
		lr.SetEventName(names[int(data[0])%len(names)])
		lr.SetTimestamp(pcommon.Timestamp(int64(data[1]) * 1e9))
		if data[2]&0x80 != 0 {
			lr.SetTraceID(pcommon.TraceID{1, data[2] & 3})
			lr.SetSpanID(pcommon.SpanID{data[2] & 0x40})
		}
		n := int(data[3] % 12)
		data = data[4:]
		for ; n > 0 && len(data) >= 2; n-- {
			put(lr.Attributes().PutEmpty(keyNames[int(data[0])%len(keyNames)]), data[1], keyNames)
			data = data[2:]
		}
	}
	return ld
}

func put(v pcommon.Value, b byte, words []string) {
	switch b % 8 {
	case 0:
		v.SetInt(int64(b) - 100)
	case 1:
		v.SetDouble(float64(b) * 1e7)
	case 2:
		v.SetBool(b > 100)
	case 3:
		v.SetEmptySlice().AppendEmpty().SetStr(words[int(b)%len(words)])
	case 4:
		v.SetEmptyMap().PutInt("x", 1)
	case 5:
		v.SetStr([]string{"allow", "deny", "abort", ""}[b/8%4])
	default:
		v.SetStr(string(rune('a' + b/64)))
	}
}

func checkSpans(t *testing.T, out Output, ids map[string]bool) {
	for i := range out.Traces.ResourceSpans().Len() {
		spans := out.Traces.ResourceSpans().At(i).ScopeSpans().At(0).Spans()
		for k := range spans.Len() {
			span := spans.At(k)
			if span.TraceID().IsEmpty() || span.SpanID().IsEmpty() || span.Name() == "" || span.SpanID() == span.ParentSpanID() {
				t.Fatal("a span without id, name, or that is its own parent")
			}
			if span.StartTimestamp() > span.EndTimestamp() || span.StartTimestamp() == 0 {
				t.Fatal("a span that ends before it starts, or never started")
			}
			ids[span.TraceID().String()+span.SpanID().String()] = true
			for k := range span.Attributes().All() {
				if _, ok := keys().index[k]; !ok && k != "app.mapping.inferred" && k != "gen_ai.operation.name" {
					t.Fatalf("%s was copied", k)
				}
			}
		}
	}
}
