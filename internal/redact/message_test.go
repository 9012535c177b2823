package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// leak is a value that no list of keys knows to be content: it has the keys of
// a message's own words, numbers and bytes.
func leak() map[string]any {
	return map[string]any{
		"name": "Maria Gonzalez", "type": "HIV-positive", "id": "DE89370400440532013000", "role": "patient", "finish_reason": "died",
		"card": int64(4111111111111111), "score": 0.7331, "scan": []byte("scanbytes"), "list": []any{"Maria", int64(4111111111111111)},
	}
}

var leaked = []string{"Maria", "HIV", "DE893704", "patient", "died", "4111111111111111", "0.7331", "scanbytes", "c2NhbmJ5dGVz"}

func record(t *testing.T, fill func(plog.LogRecord)) (plog.LogRecord, string) {
	ld := plog.NewLogs()
	lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	fill(lr)
	p := compile(t, Settings{Secrets: true, PII: PIIKinds()})
	p.Logs(ld)
	b, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
	require.NoError(t, err)
	assert.Zero(t, p.Logs(ld).Total(), "a second pass changes nothing")
	return lr, string(b)
}

func TestBodiesOfModelEvents(t *testing.T) {
	call := map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "lookup", "arguments": leak(), "type": "Maria G"}, "arguments": leak(), "extra": leak()}
	message := map[string]any{"role": "assistant", "content": []any{leak()}, "parts": []any{leak()}, "tool_calls": []any{call, "Maria", int64(4111111111111111)}, "arguments": leak()}
	for name, body := range map[string]any{
		"a choice":           map[string]any{"index": int64(1), "finish_reason": "tool_calls", "message": message, "result": leak(), "response": leak(), "anything": leak()},
		"a message":          message,
		"a list of messages": []any{message, "Maria", int64(4111111111111111)},
		"messages in it":     map[string]any{"message": map[string]any{"message": map[string]any{"name": "Maria", "message": leak()}}},
		"a number":           int64(4111111111111111),
		"bytes":              []byte("scanbytes"),
		"a list of lists":    []any{[]any{leak()}},
		"a name of words":    map[string]any{"name": "Maria Gonzalez", "role": "HIV positive", "id": int64(4111111111111111), "type": 0.7331, "index": 0.7331},
	} {
		t.Run(name, func(t *testing.T) {
			_, out := record(t, func(lr plog.LogRecord) {
				lr.SetEventName("gen_ai.choice")
				require.NoError(t, lr.Body().FromRaw(body))
			})
			for _, text := range leaked {
				assert.NotContains(t, out, text)
			}
		})
	}
	lr, _ := record(t, func(lr plog.LogRecord) {
		lr.Attributes().PutStr("app.mapping.dialect", "genai")
		require.NoError(t, lr.Body().FromRaw(map[string]any{"index": int64(1), "finish_reason": "tool_calls", "message": message}))
	})
	got := lr.Body().Map().AsRaw()
	assert.Equal(t, int64(1), got["index"])
	assert.Equal(t, "tool_calls", got["finish_reason"])
	msg := got["message"].(map[string]any)
	assert.Equal(t, "assistant", msg["role"])
	assert.Regexp(t, `^\[redacted:content\.list\.1:`, msg["content"])
	calls := msg["tool_calls"].([]any)
	first := calls[0].(map[string]any)
	assert.Equal(t, "call_1", first["id"])
	assert.Equal(t, "function", first["type"])
	assert.Equal(t, "lookup", first["function"].(map[string]any)["name"])
	assert.Regexp(t, `^\[redacted:content\.map\.9:`, first["function"].(map[string]any)["arguments"])
	assert.Regexp(t, `^\[redacted:content\.number:`, calls[2])
}

func TestBodiesOfRecordsOfNoKnownShape(t *testing.T) {
	lr, _ := record(t, func(lr plog.LogRecord) {
		require.NoError(t, lr.Body().FromRaw(map[string]any{
			"prompt": "hi", "note": prosaic, "word": "ready", "n": int64(4), "params": []any{map[string]any{"text": prosaic}}, "raw": []byte(prosaic),
		}))
	})
	got := lr.Body().Map().AsRaw()
	assert.Regexp(t, `^\[redacted:content\.text\.2:`, got["prompt"], "a content key is one in bodies too")
	assert.Regexp(t, `^\[redacted:content\.text\.30:`, got["note"])
	assert.Regexp(t, `^\[redacted:content\.bytes\.30:`, got["raw"])
	assert.Equal(t, "ready", got["word"])
	assert.Equal(t, int64(4), got["n"])
	assert.Equal(t, got["note"], got["params"].([]any)[0].(map[string]any)["text"])
	for _, body := range []any{prosaic, []byte(prosaic), []any{prosaic}} {
		_, out := record(t, func(lr plog.LogRecord) { require.NoError(t, lr.Body().FromRaw(body)) })
		assert.NotContains(t, out, "Maria")
		assert.NotContains(t, out, "TWFyaWE")
	}
}

// genAIEvent fills the attributes of a GenAI-native event.
func genAIEvent(t *testing.T, m pcommon.Map) {
	require.NoError(t, m.FromRaw(map[string]any{
		"gen_ai.system": "openai", "gen_ai.event.content": "Maria-x", "content": "Maria-y", "message": map[string]any{"role": "assistant", "content": "Maria"},
		"tool_calls": []any{map[string]any{"id": "call_1", "function": map[string]any{"name": "lookup", "arguments": `{"a":"Maria"}`}}},
		"role":       "user", "id": "call_1", "name": "Maria Gonzalez", "finish_reason": "stop", "index": int64(0), "anything": "Maria", "raw": []byte("Maria"),
		"gen_ai.prompt": "Maria", "gen_ai.completion": "Maria", "ok": true,
	}))
}

func TestGenAINativeEvents(t *testing.T) {
	p := compile(t, Settings{})
	check := func(name string, got map[string]any) {
		assert.Equal(t, "openai", got["gen_ai.system"], name)
		assert.Equal(t, "user", got["role"], name)
		assert.Equal(t, "call_1", got["id"], name)
		assert.Equal(t, "stop", got["finish_reason"], name)
		assert.Equal(t, int64(0), got["index"], name)
		assert.Equal(t, true, got["ok"], name)
		assert.Equal(t, "assistant", got["message"].(map[string]any)["role"], name)
		assert.Equal(t, "lookup", got["tool_calls"].([]any)[0].(map[string]any)["function"].(map[string]any)["name"], name)
		assert.Regexp(t, `^\[redacted:content\.text\.7:`, got["content"], name)
	}
	for _, name := range []string{"gen_ai.user.message", "gen_ai.system.message", "gen_ai.assistant.message", "gen_ai.tool.message", "gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion"} {
		s, td := span(p, "", func(s ptrace.Span) {
			ev := s.Events().AppendEmpty()
			ev.SetName(name)
			genAIEvent(t, ev.Attributes())
			s.Status().SetMessage("what Maria said")
		})
		check(name, s.Events().At(0).Attributes().AsRaw())
		b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		assert.NotContains(t, string(b), "Maria", name)
		assert.NotContains(t, string(b), "TWFyaWE", name)
		assert.Zero(t, p.Traces(td).Total(), name)

		for _, own := range []bool{true, false} {
			lr, out := record(t, func(lr plog.LogRecord) {
				genAIEvent(t, lr.Attributes())
				if own {
					lr.SetEventName(name)
				} else {
					lr.Attributes().PutStr("event.name", name)
				}
			})
			check(name, lr.Attributes().AsRaw())
			assert.NotContains(t, out, "Maria", name)
		}
	}
	s, _ := span(p, "", func(s ptrace.Span) {
		s.Attributes().PutStr("gen_ai.event.content", "Maria")
		s.Events().AppendEmpty().SetName("gen_ai.messages")
		s.Events().At(0).Attributes().PutStr("word", "ready")
	})
	assert.Regexp(t, `^\[redacted:content\.text\.5:`, attr(s, "gen_ai.event.content").Str())
	v, _ := s.Events().At(0).Attributes().Get("word")
	assert.Equal(t, "ready", v.Str())
}

func TestOperatorsContentKeysWinOnThePath(t *testing.T) {
	ld := plog.NewLogs()
	lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	lr.SetEventName("gen_ai.user.message")
	lr.Attributes().PutStr("name", "Maria")
	lr.Body().SetEmptyMap().PutStr("name", "Maria")
	compile(t, Settings{ContentKeys: []string{"name"}}).Logs(ld)
	v, _ := lr.Attributes().Get("name")
	assert.Regexp(t, `^\[redacted:content\.text\.5:`, v.Str())
	assert.NotContains(t, lr.Body().AsString(), "Maria")
}

func TestMessagesDoNotNestWithoutEnd(t *testing.T) {
	_, out := record(t, func(lr plog.LogRecord) {
		lr.SetEventName("gen_ai.choice")
		m := lr.Body().SetEmptyMap()
		for range 10000 {
			m = m.PutEmptyMap("message")
		}
		m.PutStr("name", "Maria")
	})
	assert.NotContains(t, out, "Maria")
}
