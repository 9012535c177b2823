package tail

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// TestNoClueNoClass draws runs that state anything that the registry allows, with
// spans in several versions, and asks Classify of those whose pieces have no clue.
func TestNoClueNoClass(t *testing.T) {
	arena := slab.New()
	defer arena.Close()
	hands := Hands{Policy: &Policy{}, Arena: arena}
	quiet, classed := 0, 0
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 11))
		td := drawStatements(r)
		b, err := Encode(td)
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := b.Split(&Policy{}, placing(arena))
		if err != nil {
			t.Fatal(err)
		}
		var sum Digest
		j := &Job{}
		for i := range pieces {
			sum.Add(&pieces[i].Digest)
			j.pieces = append(j.pieces, held{pieces[i].Block, 0, 0, int32(pieces[i].Spans), 0})
		}
		got := hands.Judge(j, time.Time{})
		hits := evidence.Classify(evidence.Run{Spans: evidence.FromTraces(got.Load.Traces)})
		switch {
		case sum.Clues.Alarm() && len(hits) > 0:
			classed++
		case len(hits) > 0:
			t.Fatalf("seed %d: %v, but no clue", seed, hits)
		case !sum.Clues.Alarm():
			quiet++
		}
		for i := range pieces {
			arena.Free(pieces[i].Block)
		}
	}
	if quiet < 900 || classed < 300 {
		t.Errorf("%d runs without a clue and %d with a class are too few to prove anything", quiet, classed)
	}
}

// drawStatements makes a few spans over two traces, some in more than one version,
// that state little, so that many have no clue.
func drawStatements(r *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range 1 + r.IntN(6) {
		s := spans.AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1 + byte(r.IntN(2))})
		s.SetSpanID(pcommon.SpanID{1 + byte(r.IntN(6))})
		s.SetParentSpanID(pcommon.SpanID{byte(r.IntN(7))})
		s.SetStartTimestamp(pcommon.Timestamp(1e18 + r.Int64N(1000)))
		s.SetEndTimestamp(s.StartTimestamp() + pcommon.Timestamp(r.Int64N(1000)))
		s.SetKind(ptrace.SpanKind(r.IntN(6)))
		s.Status().SetCode(ptrace.StatusCode(r.IntN(2)))
		if r.IntN(40) == 0 {
			s.Status().SetCode(ptrace.StatusCodeError)
		}
		drawAttributes(r, s.Attributes())
		if r.IntN(3) == 0 {
			l := s.Links().AppendEmpty()
			l.SetTraceID(pcommon.TraceID{1 + byte(r.IntN(2))})
			l.SetSpanID(pcommon.SpanID{1 + byte(r.IntN(6))})
			l.Attributes().PutStr(semconv.AppLinkRelation, drawn(r, "evaluates", "verifies", "continues", "retries", "follows"))
		}
		if r.IntN(4) == 0 {
			e := s.Events().AppendEmpty()
			e.SetName(drawn(r, "app.tool.decided", "app.effect.recorded", "app.control.changed", "gen_ai.evaluation.result", "exception", "x"))
			e.SetTimestamp(s.EndTimestamp())
			drawAttributes(r, e.Attributes())
		}
	}
	return td
}

func drawn(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// stated is every key of the registry and the foreign ones that classes read.
var stated = func() (out []semconv.Attribute) {
	for _, g := range semconv.App().Groups {
		out = append(out, g.Attributes...)
	}
	for key, values := range map[string][]string{
		semconv.GenAIOperationName:        {"execute_tool", "chat", "invoke_agent"},
		semconv.GenAIToolCallID:           {"c1", "c2"},
		semconv.GenAIToolName:             {"rm"},
		semconv.GenAIEvaluationName:       {"m"},
		semconv.GenAIEvaluationScoreLabel: {"pass", "fail", " Failed", "good"},
		semconv.ErrorType:                 {"", "timeout", "PermissionDenied"},
		semconv.ExceptionType:             {"java.lang.SecurityException", "AccessDenied"},
		semconv.RPCResponseStatusCode:     {"OK", "PERMISSION_DENIED"},
		semconv.HTTPResponseStatusCode:    {"int"},
		semconv.MCPMethodName:             {"tools/call"},
	} {
		out = append(out, semconv.Attribute{Key: key, Type: "string", Values: values})
	}
	return out
}()

func drawAttributes(r *rand.Rand, a pcommon.Map) {
	if r.IntN(2) == 0 {
		a.PutStr(semconv.GenAIOperationName, "execute_tool")
	}
	for range r.IntN(4) {
		k := stated[r.IntN(len(stated))]
		switch {
		case r.IntN(30) == 0:
			a.PutEmptySlice(k.Key).AppendEmpty().SetStr("deny")
		case k.Key == semconv.HTTPResponseStatusCode:
			a.PutInt(k.Key, []int64{200, 403, 500}[r.IntN(3)])
		case k.Type == "int":
			a.PutInt(k.Key, r.Int64N(3))
		case k.Type == "double":
			a.PutDouble(k.Key, r.Float64())
		case k.Type == "boolean":
			a.PutBool(k.Key, r.IntN(2) == 0)
		case k.Type == "string[]":
			a.PutEmptySlice(k.Key).AppendEmpty().SetStr("read")
		case len(k.Values) > 0:
			a.PutStr(k.Key, k.Values[r.IntN(len(k.Values))])
		default:
			a.PutStr(k.Key, fmt.Sprint("repo/", r.IntN(2)))
		}
	}
	switch r.IntN(20) { // what has to come together for a breach
	case 0:
		a.PutStr(semconv.AppAuthorityExpiresAt, "2001-01-01T00:00:00Z")
	case 1:
		a.PutStr(semconv.AppExtensionKind, semconv.AppExtensionKindHook)
		a.PutStr(semconv.AppExtensionDecision, drawn(r, "failed", "timeout", "allow"))
	case 2:
		a.PutStr(semconv.AppAuthorityResource, "repo/0")
	case 3:
		a.PutStr(semconv.AppToolEffectClass, semconv.AppToolEffectClassWrite)
		a.PutStr(semconv.AppEffectTarget, "repo/1")
	}
}

// TestDigestNamesAsRows: the name of a run from digests is that from its rows.
func TestDigestNamesAsRows(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 12))
		run := evidence.Run{}
		var sum Digest
		for range 1 + r.IntN(8) {
			s := evidence.Span{Attrs: evidence.Attrs{}}
			s.ID.Trace[0] = 1 + byte(r.IntN(5))
			for _, key := range taskKeys {
				if r.IntN(2) == 0 {
					s.Attrs[key] = fmt.Sprint("t", r.IntN(4))
				}
			}
			run.Spans = append(run.Spans, s)
		}
		var parts []Digest
		for i := range run.Spans {
			parts = append(parts, Digest{Names: namesOf(&evidence.Run{Spans: run.Spans[i : i+1]})})
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for i := range parts {
			sum.Add(&parts[i])
		}
		whole := namesOf(&run)
		if sum.Names.Identity() != whole.Identity() {
			t.Fatalf("seed %d: %q from pieces, %q from the whole", seed, sum.Names.Identity(), whole.Identity())
		}
	}
}
