package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const prosaic = "Maria Gonzalez is HIV positive"

func TestNameLike(t *testing.T) {
	kinds := everything(t).engine.kinds
	for _, name := range []string{
		"", "ok", "claude-opus-4-20250514", "gpt-4o:latest", "meta-llama/Llama-3.1-8B", "5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11",
		"4b825dc642cb6eb9a060e54bf8d69288fbee4904e3b0c44298fc1c149afbf4c8", "toolu_01A09q90qw90lq917835lq9", "/home/dev/src/app/main.go", `C:\src\app`,
		"https://api.example.com:8443/v1/chat", "1.2.3-rc.1+build5", "2026-08-15T10:00:00Z", "com.acme.Foo$Bar", "@scope/pkg@4.17.21", "C#", "*.go",
		"true", "42", "-0.5", "mcp__github__create_issue", "[redacted:email:0123456789ab]", "x/[redacted:email:0123456789ab]",
	} {
		assert.True(t, nameLike(name, kinds), name)
	}
	for _, text := range []string{
		prosaic, "two words", "a\nb", "a\tb", `{"a":1}`, "[1]", "<b>", "f(x)", "a,b", "a=b", "https://x/y?q=z", "hello!", "why?", "Yes.", "note:", "it's",
		"请帮我写一封邮件", "Zoë", "a\u00a0b", "a\u200bb", "Maria%20Gonzalez", "Maria+Gonzalez+is+ill", "a|b", "a;b", "`x`", `"x"`, "[redacted:nosuch:0123456789ab]",
		strings.Repeat("a", 65), strings.Repeat("a/", 65), "a\x00b", "a\x7fb",
		base64.StdEncoding.EncodeToString([]byte(prosaic)), base64.RawURLEncoding.EncodeToString([]byte(prosaic)), hex.EncodeToString([]byte(prosaic)),
	} {
		assert.False(t, nameLike(text, kinds), text)
	}
}

// unknownSpan is a span with texts under keys that nobody knows.
func unknownSpan(s ptrace.Span) {
	a := s.Attributes()
	a.PutStr("acme.note", prosaic)
	a.PutStr("acme.word", "ready")
	a.PutInt("acme.count", 7)
	a.PutBool("acme.flag", true)
	a.PutEmptyBytes("acme.bytes").FromRaw([]byte(prosaic))
	a.PutEmptyBytes("acme.short").FromRaw([]byte("ready"))
	m := a.PutEmptyMap("acme.map")
	m.PutStr("note", prosaic)
	m.PutStr("word", "ready")
	m.PutStr("gen_ai.agent.name", prosaic) // known, but not as a member of a map
	m.PutInt("n", 1)
	l := a.PutEmptySlice("acme.list")
	l.AppendEmpty().SetStr(prosaic)
	l.AppendEmpty().SetStr("ready")
	l.AppendEmpty().SetEmptyMap().PutStr("deep", prosaic)
	s.Attributes().PutStr("gen_ai.usage.input_tokens", prosaic) // known for a number
}

func TestTextUnderUnknownKeyIsDigested(t *testing.T) {
	s, td := span(compile(t, Settings{}), "", unknownSpan)
	raw := s.Attributes().AsRaw()
	digest := `^\[redacted:content\.text\.30:\w{12}\]$`
	assert.Regexp(t, digest, raw["acme.note"])
	assert.Equal(t, "ready", raw["acme.word"])
	assert.Equal(t, int64(7), raw["acme.count"])
	assert.Equal(t, true, raw["acme.flag"])
	assert.Regexp(t, `^\[redacted:content\.bytes\.30:\w{12}\]$`, raw["acme.bytes"])
	assert.Equal(t, []byte("ready"), raw["acme.short"])
	m := raw["acme.map"].(map[string]any)
	assert.Equal(t, raw["acme.note"], m["note"])
	assert.Equal(t, raw["acme.note"], m["gen_ai.agent.name"])
	assert.Equal(t, "ready", m["word"])
	assert.Equal(t, int64(1), m["n"])
	l := raw["acme.list"].([]any)
	assert.Equal(t, raw["acme.note"], l[0])
	assert.Equal(t, "ready", l[1])
	assert.Equal(t, raw["acme.note"], l[2].(map[string]any)["deep"])
	assert.Regexp(t, digest, raw["gen_ai.usage.input_tokens"])
	assert.Equal(t, int64(7), raw["app.redaction.count"])
	assert.Zero(t, compile(t, Settings{}).Traces(td).Total())
}

func TestTextUnderUnknownKeyIsDroppedOrKept(t *testing.T) {
	s, _ := span(compile(t, Settings{Unknown: Drop}), "", unknownSpan)
	raw := s.Attributes().AsRaw()
	assert.NotContains(t, raw, "acme.note")
	assert.NotContains(t, raw, "acme.bytes")
	assert.Equal(t, map[string]any{"word": "ready", "n": int64(1)}, raw["acme.map"])
	assert.Equal(t, []any{"ready", map[string]any{}}, raw["acme.list"])

	s, _ = span(compile(t, Settings{Unknown: Keep, Secrets: true, PII: PIIKinds()}), "", func(s ptrace.Span) {
		s.Attributes().PutStr("acme.note", prosaic+", ada@example.com")
	})
	assert.Regexp(t, "^"+prosaic+`, \[redacted:email:\w{12}\]$`, attr(s, "acme.note").Str())
}

func TestKeysOfTheOperatorAndOfTheCoreConventions(t *testing.T) {
	p := compile(t, Settings{Allow: []string{"acme.free", "acme.open.*"}, ContentKeys: []string{"house.said", "house.msgs.*"}, TenantKey: "acme.tenant", PII: PIIKinds()})
	s, td := span(p, "", func(s ptrace.Span) {
		a := s.Attributes()
		a.PutStr("acme.free", "free text, ada@example.com")
		a.PutEmptyMap("acme.open.map").PutEmptySlice("l").AppendEmpty().SetStr("free text")
		a.PutStr("acme.opened", "free text")
		a.PutStr("house.said", "ready")
		a.PutStr("house.msgs.0", "ready")
		a.PutInt("house.msgs.1", 8)
		a.PutStr("acme.tenant", "Acme Corp")
		a.PutStr("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64)")
		a.PutStr("telemetry.distro.name", "a b")
		a.PutStr("http.route", "/orders/{id}")
		a.PutStr("gen_ai.agent.name", "Claude Code")
		a.PutStr("gen_ai.system", "two words")
		a.PutStr("gen_ai.conversation.id", "two words")
	})
	raw := s.Attributes().AsRaw()
	assert.Regexp(t, `^free text, \[redacted:email:\w{12}\]$`, raw["acme.free"])
	assert.Equal(t, map[string]any{"l": []any{"free text"}}, raw["acme.open.map"])
	assert.Regexp(t, `^\[redacted:content\.text\.9:`, raw["acme.opened"])
	assert.Regexp(t, `^\[redacted:content\.text\.5:`, raw["house.said"])
	assert.Regexp(t, `^\[redacted:content\.text\.5:`, raw["house.msgs.0"])
	assert.Regexp(t, `^\[redacted:content\.number:`, raw["house.msgs.1"])
	for key, want := range map[string]string{
		"acme.tenant": "Acme Corp", "user_agent.original": "Mozilla/5.0 (X11; Linux x86_64)", "telemetry.distro.name": "a b",
		"http.route": "/orders/{id}", "gen_ai.agent.name": "Claude Code",
	} {
		assert.Equal(t, want, raw[key])
	}
	assert.Regexp(t, `^\[redacted:content\.text\.9:`, raw["gen_ai.system"], "a word of a list has no space")
	assert.Regexp(t, `^\[redacted:content\.text\.9:`, raw["gen_ai.conversation.id"], "an id has no space")
	assert.Zero(t, p.Traces(td).Total())
}

func TestKeysThatAreTextAreReplaced(t *testing.T) {
	s, td := span(compile(t, Settings{}), "", func(s ptrace.Span) {
		s.Attributes().PutEmptyMap("acme.facts").PutBool(prosaic, true)
		s.Attributes().PutInt("llm.tools[0].calls", 1)
		s.Attributes().PutInt("患者", 1)
	})
	raw := s.Attributes().AsRaw()
	for key := range raw["acme.facts"].(map[string]any) {
		assert.Regexp(t, `^\[redacted:content\.text\.30:\w{12}\]$`, key)
	}
	assert.Contains(t, raw, "llm.tools[0].calls")
	assert.NotContains(t, raw, "患者")
	assert.Zero(t, compile(t, Settings{}).Traces(td).Total())
}

func TestErrorTypesAreWords(t *testing.T) {
	p := compile(t, Settings{})
	for in, want := range map[string]string{
		"timeout": "timeout", "openai.RateLimitError": "openai.RateLimitError", "500": "500", "": "", "_OTHER": "_OTHER",
		"no such user: ada": "_OTHER", "<class 'KeyError'>": "_OTHER", `{"code":1}`: "_OTHER", "患者": "_OTHER",
	} {
		s, td := span(p, "", func(s ptrace.Span) { s.Attributes().PutStr("error.type", in) })
		assert.Equal(t, want, attr(s, "error.type").Str(), in)
		wantCount := int64(0)
		if in != want {
			wantCount = 1
		}
		assert.Equal(t, wantCount, attr(s, "app.redaction.count").Int(), in)
		assert.Zero(t, p.Traces(td).Total())
	}
	s, _ := span(p, "", func(s ptrace.Span) { s.Attributes().PutStr("exception.type", "no such user: ada") })
	assert.Regexp(t, `^\[redacted:content\.text\.17:`, attr(s, "exception.type").Str())
}

func TestStatusMessages(t *testing.T) {
	agent := func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.operation.name", "chat") }
	dialect := func(s ptrace.Span) { s.Attributes().PutStr("app.mapping.dialect", "openinference") }
	content := func(s ptrace.Span) { s.Attributes().PutStr("input.value", "x") }
	plain := func(ptrace.Span) {}
	exception := func(text string) func(ptrace.Span) {
		return func(s ptrace.Span) { s.Events().AppendEmpty().Attributes().PutStr("exception.message", text) }
	}
	for name, c := range map[string]struct {
		fill             func(ptrace.Span)
		message, want    string
		dropped, allKept string
	}{
		"free text of an agent's span":               {agent, prosaic, `^\[redacted:content\.text\.30:\w{12}\]$`, "", prosaic},
		"free text of a mapped span":                 {dialect, prosaic, `^\[redacted:content\.text\.30:\w{12}\]$`, "", prosaic},
		"free text of a span with content":           {content, prosaic, `^\[redacted:content\.text\.30:\w{12}\]$`, "", prosaic},
		"a name":                                     {agent, "RateLimitError", `^RateLimitError$`, "RateLimitError", "RateLimitError"},
		"any other span":                             {plain, "connection refused", `^connection refused$`, "connection refused", "connection refused"},
		"the exception's text":                       {exception(prosaic), prosaic, `^\[redacted:content\.text\.30:\w{12}\]$`, "", prosaic},
		"the exception's text behind its type":       {exception(prosaic), "KeyError: " + prosaic, `^KeyError: \[redacted:content\.text\.30:\w{12}\]$`, "KeyError", "KeyError: " + prosaic},
		"the exception's text inside":                {exception(prosaic), "call of x gave " + prosaic + " at 5", `^call of x gave \[redacted:content\.text\.30:\w{12}\] at 5$`, "call of x gave  at 5", "call of x gave " + prosaic + " at 5"},
		"a part of the stack":                        {exception("Traceback\n  KeyError: " + prosaic + "\n"), "KeyError: " + prosaic, `^\[redacted:content\.text\.40:\w{12}\]$`, "", "KeyError: " + prosaic},
		"an agent's type and exception":              {func(s ptrace.Span) { agent(s); exception(prosaic)(s) }, "KeyError: " + prosaic, `^KeyError: \[redacted:content\.text\.30:\w{12}\]$`, "KeyError", "KeyError: " + prosaic},
		"an agent's words around an exception's":     {func(s ptrace.Span) { agent(s); exception("ada died")(s) }, "said ada died", `^\[redacted:content\.text\.13:\w{12}\]$`, "", "said ada died"},
		"a text that stood under an unknown key":     {func(s ptrace.Span) { s.Attributes().PutStr("acme.reply", prosaic) }, "reply " + prosaic, `^reply \[redacted:content\.text\.30:\w{12}\]$`, "reply " + prosaic, "reply " + prosaic},
		"an emitter's own mark for what it withheld": {agent, "<REDACTED>", `^<REDACTED>$`, "<REDACTED>", "<REDACTED>"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []Mode{Digest, Drop, Keep} {
				p := compile(t, Settings{Content: mode, Unknown: map[Mode]Mode{Digest: Digest, Drop: Keep, Keep: Keep}[mode]})
				s, td := span(p, "", func(s ptrace.Span) { c.fill(s); s.Status().SetMessage(c.message) })
				got := s.Status().Message()
				switch mode {
				case Digest:
					assert.Regexp(t, c.want, got)
				case Drop:
					assert.Equal(t, c.dropped, got)
				case Keep:
					assert.Equal(t, c.allKept, got)
				}
				assert.Zero(t, p.Traces(td).Total())
				assert.Equal(t, got, s.Status().Message())
			}
		})
	}
}

func TestEventNamesThatAreText(t *testing.T) {
	s, td := span(compile(t, Settings{}), "", func(s ptrace.Span) {
		s.Events().AppendEmpty().SetName("user said: " + prosaic)
		s.Events().AppendEmpty().SetName("first_token")
	})
	assert.Regexp(t, `^\[redacted:content\.text\.41:\w{12}\]$`, s.Events().At(0).Name())
	assert.Equal(t, "first_token", s.Events().At(1).Name())
	assert.Zero(t, compile(t, Settings{}).Traces(td).Total())
}

// nested makes n maps and lists inside each other, the outermost being v.
func nested(v pcommon.Value, n int) {
	for i := range n {
		if i%2 == 0 {
			v = v.SetEmptyMap().PutEmpty("m")
		} else {
			v = v.SetEmptySlice().AppendEmpty()
		}
	}
	v.SetStr("leaf")
}

func levels(v pcommon.Value) int {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		for _, in := range v.Map().All() {
			return 1 + levels(in)
		}
	case pcommon.ValueTypeSlice:
		return 1 + levels(v.Slice().At(0))
	}
	return 0
}

// TestDepthIsExact counts what stays: 32 maps and lists inside each other, and no
// more, in attributes and bodies. A store may rely on it.
func TestDepthIsExact(t *testing.T) {
	p := compile(t, Settings{Allow: []string{"acme.open.*"}})
	for _, c := range []struct{ depth, stays, failed int }{{32, 32, 0}, {33, 32, 1}, {500, 32, 1}} {
		for _, key := range []string{"acme.any", "acme.open.any", "service.name"} {
			s, _ := span(p, "", func(s ptrace.Span) { nested(s.Attributes().PutEmpty(key), c.depth) })
			assert.Equal(t, c.stays, levels(attr(s, key)), key)
			assert.Equal(t, int64(c.failed), attr(s, "app.redaction.count").Int())
		}
		ld := plog.NewLogs()
		lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		nested(lr.Body(), c.depth)
		hits := p.Logs(ld)
		assert.Equal(t, c.stays, levels(lr.Body()))
		assert.Equal(t, int64(c.failed), hits.Failures[Failure{TooDeep, LogBody}])
	}
}

func FuzzUnknownText(f *testing.F) {
	for _, s := range []string{prosaic, "ada@example.com", "user:ada@example.com", "password=hunter22", `{"a":1}`, "x/[redacted:email:0123456789ab]", "postgres://app:hunter22@db/x", "a.b.", "QUtJQQ=="} {
		f.Add(s, "acme.note")
	}
	p := compile(f, Settings{Secrets: true, PII: PIIKinds()})
	f.Fuzz(func(t *testing.T, text, key string) {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.Attributes().PutStr("acme.note", text)
		s.Attributes().PutEmptyMap("acme.map").PutStr(key, text)
		s.Status().SetMessage(key)
		s.Events().AppendEmpty().SetName(text)
		p.Traces(td)
		once, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		p.Traces(td)
		twice, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		require.Equal(t, once, twice, "a second pass changes nothing")
	})
}
