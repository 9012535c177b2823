package redact

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func containsBytes(b []byte, s string) bool { return bytes.Contains(b, []byte(s)) }

// span is one span through the policy.
func span(p *Policy, tenant string, fill func(ptrace.Span)) (ptrace.Span, ptrace.Traces) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	if tenant != "" {
		rs.Resource().Attributes().PutStr("tenant.id", tenant)
	}
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	fill(s)
	p.Traces(td)
	return s, td
}

func attr(s ptrace.Span, key string) pcommon.Value {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return pcommon.NewValueEmpty()
	}
	return v
}

func TestTypesStay(t *testing.T) {
	key, _ := fill("sk-proj-{b64url:60}", 3)
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), Unknown: Keep})
	s, _ := span(p, "", func(s ptrace.Span) {
		args := s.Attributes().PutEmptyMap("args")
		args.PutStr("Authorization", "Bearer abc")
		args.PutInt("n", 3)
		args.PutBool("ok", true)
		args.PutStr("empty", "")
		l := args.PutEmptySlice("l")
		l.AppendEmpty().SetInt(1)
		l.AppendEmpty().SetStr(key)
		l.AppendEmpty().SetStr("stays")
		args.PutEmptyBytes("b").FromRaw([]byte("x " + key))
	})
	args := attr(s, "args")
	require.Equal(t, pcommon.ValueTypeMap, args.Type())
	raw := args.Map().AsRaw()
	assert.Regexp(t, `^\[redacted:credential_key:[0-9a-f]{12}\]$`, raw["Authorization"])
	assert.Equal(t, int64(3), raw["n"])
	assert.Equal(t, true, raw["ok"])
	assert.Equal(t, "", raw["empty"])
	assert.Equal(t, int64(1), raw["l"].([]any)[0])
	assert.Regexp(t, `^\[redacted:openai_key:[0-9a-f]{12}\]$`, raw["l"].([]any)[1])
	assert.Equal(t, "stays", raw["l"].([]any)[2])
	assert.Regexp(t, `^x \[redacted:openai_key:[0-9a-f]{12}\]$`, string(raw["b"].([]byte)))
}

func TestTextCases(t *testing.T) {
	aws, _ := fill("AKIA{base32:16}", 1)
	pem, _ := fill("-----BEGIN RSA PRIVATE KEY-----\n{b64:64}\n{b64:64}\n-----END RSA PRIVATE KEY-----", 1)
	for name, c := range map[string]struct{ in, want string }{
		"a mail and a key in one value":    {"mail bob@mycompany.com key " + aws + ".", `^mail \[redacted:email:\w{12}\] key \[redacted:aws_access_key_id:\w{12}\]\.$`},
		"a key of many lines is one token": {"k:\n" + pem + "\nend", `^k:\n\[redacted:private_key:\w{12}\]\nend$`},
		"empty stays empty":                {"", `^$`},
		"a password in a URL, host stays":  {"postgres://app:hunter22@db.example.com:5432/x", `^postgres://app:\[redacted:url_password:\w{12}\]@db\.example\.com:5432/x$`},
		"an exact rule names the token":    {"API_KEY=" + aws, `^API_KEY=\[redacted:aws_access_key_id:\w{12}\]$`},
		"JSON inside JSON stays JSON":      {`{\"password\":\"hunter22\",\"n\":1}`, `^\{\\"password\\":\\"\[redacted:password:\w{12}\]\\",\\"n\\":1\}$`},
		"an escape before a mail stays":    {`"a\nbob@x.org"`, `^"a\\n\[redacted:email:\w{12}\]"$`},
		"a card, an id and a SHA stay":     {"4111111111111112 5b8efff798038103d269b633813fc60c 4b825dc642cb6eb9a060e54bf8d69288fbee4904", `^4111111111111112 5b8efff798038103d269b633813fc60c 4b825dc642cb6eb9a060e54bf8d69288fbee4904$`},
		"a model and a UUID stay":          {"claude-opus-4-20250514 5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11", `^claude-opus-4-20250514 5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11$`},
		"a made-up token is no shelter":    {"[redacted:nosuchkind:0123456789ab] [redacted:" + aws + ":0123456789ab]", `^\[redacted:nosuchkind:0123456789ab\] \[redacted:\[redacted:aws_access_key_id:\w{12}\]:0123456789ab\]$`},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := redactText(everything(t), c.in)
			assert.Regexp(t, c.want, out)
		})
	}
}

func TestContentIsDigested(t *testing.T) {
	p := compile(t, Settings{})
	s, _ := span(p, "", func(s ptrace.Span) {
		s.Attributes().PutStr("gen_ai.input.messages", `[{"role":"user"}]`)
		s.Attributes().PutStr("gen_ai.system_instructions", "be kind")
		s.Attributes().PutStr("gen_ai.output.messages", "")
		s.Attributes().PutEmptyMap("gen_ai.tool.call.arguments").PutInt("b", 2)
		s.Attributes().PutStr("gen_ai.request.model", "claude-opus-4")
		s.Attributes().PutInt("gen_ai.usage.input_tokens", 9)
		s.Attributes().PutStr("user.id", "u-1")
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.Attributes().PutStr("exception.message", "no such user: ada")
		e.Attributes().PutStr("exception.type", "KeyError")
		s.Status().SetMessage("KeyError: no such user: ada")
	})
	assert.Regexp(t, `^\[redacted:content\.json\.17:\w{12}\]$`, attr(s, "gen_ai.input.messages").Str())
	assert.Regexp(t, `^\[redacted:content\.text\.7:\w{12}\]$`, attr(s, "gen_ai.system_instructions").Str())
	assert.Equal(t, "", attr(s, "gen_ai.output.messages").Str())
	assert.Regexp(t, `^\[redacted:content\.map\.1:\w{12}\]$`, attr(s, "gen_ai.tool.call.arguments").Str())
	assert.Equal(t, "claude-opus-4", attr(s, "gen_ai.request.model").Str())
	assert.Equal(t, int64(9), attr(s, "gen_ai.usage.input_tokens").Int())
	assert.Regexp(t, `^\[redacted:person_id:\w{12}\]$`, attr(s, "user.id").Str())
	assert.Regexp(t, `^KeyError: \[redacted:content\.text\.17:\w{12}\]$`, s.Status().Message())
	assert.Equal(t, int64(6), attr(s, "app.redaction.count").Int())
}

func TestContentIsDropped(t *testing.T) {
	p := compile(t, Settings{Content: Drop, PersonIDs: Drop})
	s, _ := span(p, "", func(s ptrace.Span) {
		s.Attributes().PutStr("gen_ai.input.messages", "secret plan")
		s.Attributes().PutStr("user.id", "u-1")
		s.Events().AppendEmpty().Attributes().PutStr("exception.message", "ada is gone")
		s.Status().SetMessage("ada is gone")
	})
	assert.Equal(t, 3, s.Attributes().Len(), "the stamp alone")
	assert.Zero(t, s.Events().At(0).Attributes().Len())
	assert.Equal(t, "", s.Status().Message())
}

func TestEqualMapsHaveEqualDigests(t *testing.T) {
	p := compile(t, Settings{})
	var got [2]string
	for i := range got {
		s, _ := span(p, "", func(s ptrace.Span) {
			m := s.Attributes().PutEmptyMap("gen_ai.tool.call.arguments")
			for k := range 4 {
				m.PutStr(string(rune('a'+(k+i*2)%4)), string(rune('A'+(k+i*2)%4)))
			}
		})
		got[i] = attr(s, "gen_ai.tool.call.arguments").Str()
	}
	assert.Equal(t, got[0], got[1])
}

func TestTokensJoinInsideOneTenantAndKey(t *testing.T) {
	mail := func(p *Policy, tenant string) string {
		s, _ := span(p, tenant, func(s ptrace.Span) { s.Attributes().PutStr("note", "ask ada@example.com") })
		return attr(s, "note").Str()
	}
	on := Settings{PII: PIIKinds(), Unknown: Keep}
	a, b := compile(t, on), compile(t, on)
	on.Key = "another key, also long enough"
	other := compile(t, on)
	assert.Equal(t, mail(a, "t1"), mail(b, "t1"), "equal settings, equal tokens")
	assert.NotEqual(t, mail(a, "t1"), mail(a, "t2"))
	assert.NotEqual(t, mail(a, "t1"), mail(a, ""))
	assert.NotEqual(t, mail(a, "t1"), mail(other, "t1"))
	assert.Equal(t, a.Hash(), other.Hash(), "the hash names the rules, not the key")
}

func TestStampAddsUpOverBoundaries(t *testing.T) {
	inner := compile(t, Settings{Boundary: "host", Content: Keep, Unknown: Keep, PII: PIIKinds()})
	outer := compile(t, Settings{Boundary: "gateway", Unknown: Keep})
	s, td := span(inner, "", func(s ptrace.Span) {
		s.Attributes().PutStr("note", "ada@example.com, bob@example.com")
		s.Attributes().PutStr("gen_ai.input.messages", "hello")
	})
	assert.Equal(t, "host", attr(s, "app.redaction.boundary").Str())
	assert.Equal(t, int64(2), attr(s, "app.redaction.count").Int())
	outer.Traces(td)
	assert.Equal(t, "gateway", attr(s, "app.redaction.boundary").Str())
	assert.Equal(t, outer.Hash(), attr(s, "app.redaction.policy").Str())
	assert.Equal(t, int64(3), attr(s, "app.redaction.count").Int())
	outer.Traces(td)
	assert.Equal(t, int64(3), attr(s, "app.redaction.count").Int())
}

func TestBodies(t *testing.T) {
	for name, c := range map[string]struct {
		event, attr, body, want string
	}{
		"an event's name stays":                    {"app.turn.started", "user_prompt", "claude_code.user_prompt", `^claude_code\.user_prompt$`},
		"a dotted text is not a name by its dots":  {"app.turn.started", "user_prompt", "maria.gonzalez.is.positive", `^\[redacted:content\.text\.26:\w{12}\]$`},
		"the prefix of a name is one":              {"app.turn.started", "user_prompt", "Maria/Gonzalez.user_prompt", `^\[redacted:content\.text\.26:\w{12}\]$`},
		"a text that is the event is not its name": {"gen_ai.choice", "Maria is ill", "Maria is ill", `^\[redacted:content\.text\.12:\w{12}\]$`},
		"a body equal to the event stays":          {"gen_ai.choice", "UserPrompt", "UserPrompt", `^UserPrompt$`},
		"a model event's text is content":          {"gen_ai.user.message", "", "weather?", `^\[redacted:content\.text\.8:\w{12}\]$`},
		"a text of a record of no known shape":     {"", "", "Maria is HIV positive", `^\[redacted:content\.text\.21:\w{12}\]$`},
		"a word of such a record stays":            {"", "", "started", `^started$`},
		"a canonical event's free text is content": {"app.tool.failed", "", "cannot open plan", `^\[redacted:content\.text\.16:\w{12}\]$`},
	} {
		t.Run(name, func(t *testing.T) {
			ld := plog.NewLogs()
			lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			lr.SetEventName(c.event)
			if c.attr != "" {
				lr.Attributes().PutStr("event.name", c.attr)
			}
			lr.Body().SetStr(c.body)
			compile(t, Settings{PII: PIIKinds()}).Logs(ld)
			assert.Regexp(t, c.want, lr.Body().Str())
		})
	}
}

func TestMapBodyOfModelEvent(t *testing.T) {
	ld := plog.NewLogs()
	lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	lr.SetEventName("gen_ai.choice")
	body := lr.Body().SetEmptyMap()
	body.PutInt("index", 0)
	body.PutStr("finish_reason", "stop")
	msg := body.PutEmptyMap("message")
	msg.PutStr("role", "assistant")
	msg.PutStr("strange_key", "it rains")
	compile(t, Settings{}).Logs(ld)
	got, _ := lr.Body().AsRaw().(map[string]any)
	assert.Equal(t, int64(0), got["index"])
	assert.Equal(t, "stop", got["finish_reason"])
	assert.NotContains(t, lr.Body().AsString(), "rains")
}

// TestRedactTwiceIsRedactOnce glues examples, tokens and near-matches together
// at random: what comes out is a fixed point.
func TestRedactTwiceIsRedactOnce(t *testing.T) {
	lib, err := loadLibrary()
	require.NoError(t, err)
	p := everything(t)
	rng := rand.New(rand.NewPCG(1, 2))
	glue := []string{"", " ", "\n", `\n`, `"`, "=", ":", "@", "/", ".", "-", "_", "password=", "token: ", "x", "7", "@b.co", "://a:", "bearer "}
	for range 6000 {
		var b strings.Builder
		for range 1 + rng.IntN(5) {
			spec := lib.specs[rng.IntN(len(lib.specs))]
			texts := append(append([]string{}, spec.Yes...), spec.No...)
			s, _ := fill(texts[rng.IntN(len(texts))], rng.Uint64())
			if rng.IntN(3) == 0 {
				s, _ = redactText(p, s)
			}
			if rng.IntN(3) == 0 {
				s = s[rng.IntN(len(s)):]
			}
			b.WriteString(s + glue[rng.IntN(len(glue))] + glue[rng.IntN(len(glue))])
		}
		once, _ := redactText(p, b.String())
		twice, hits := redactText(p, once)
		require.Equal(t, once, twice, "from %q", b.String())
		require.Zero(t, hits.Total())
	}
}

func TestSettingsProblemsAreReportedTogether(t *testing.T) {
	_, err := Compile(Settings{Content: "hide", PersonIDs: "maybe", Key: "short", PII: []string{"email", "shoe_size"}})
	require.Error(t, err)
	for _, want := range []string{
		`boundary must not be empty`,
		`content must be drop, digest or keep, found "hide"`,
		`person_ids must be drop, digest or keep, found "maybe"`,
		`digest_key must have at least 16 bytes, found 5`,
		`detectors.pii[1] must be one of email, card, iban, national_id, phone, ip, found "shoe_size"`,
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "short")
}

func TestCleanTextAllocatesNothing(t *testing.T) {
	p := everything(t)
	w := p.walk()
	w.enterTenant(pcommon.NewResource())
	s := text(8 << 10)
	assert.Zero(t, testing.AllocsPerRun(100, func() { w.text(s, SpanAttribute) }))
}

func FuzzText(f *testing.F) {
	lib, err := loadLibrary()
	require.NoError(f, err)
	for _, spec := range lib.specs {
		for _, e := range append(spec.Yes, spec.No...) {
			s, _ := fill(e, 1)
			f.Add(s)
		}
	}
	for _, unit := range hostileUnits {
		f.Add(strings.Repeat(unit, 50))
	}
	p := everything(f)
	f.Fuzz(func(t *testing.T, s string) {
		once, hits := redactText(p, s)
		if hits.Total() == 0 && once != s {
			t.Fatalf("changed without a hit: %q became %q", s, once)
		}
		if n := hits.Failures[Failure{Panicked, SpanAttribute}]; n > 0 {
			t.Fatalf("panic on %q", s)
		}
		if twice, _ := redactText(p, once); twice != once {
			t.Fatalf("%q became %q became %q", s, once, twice)
		}
	})
}

func TestPolicyIsSharedByGoroutines(t *testing.T) {
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), Unknown: Keep})
	var wg sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		wg.Go(func() {
			for k := range 200 {
				s, _ := span(p, string(rune('a'+k%5)), func(s ptrace.Span) {
					s.Attributes().PutStr("note", "ask ada@example.com")
					s.Attributes().PutStr(strings.Repeat("k", k+1), "v")
				})
				if k == 100 {
					got[i] = attr(s, "note").Str()
				}
			}
		})
	}
	wg.Wait()
	for _, s := range got {
		assert.Equal(t, got[0], s)
	}
}
