package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// hostileUnits are near-matches that, repeated, make a careless matcher read the
// line once a candidate.
var hostileUnits = map[string]string{
	"mail":      "a@",
	"mails":     "a@b.c",
	"jwt":       "eyJ-",
	"jwts":      "eyJ.",
	"pem":       "-----BEGIN PRIVATE KEY-----!",
	"url":       "://a:",
	"urls":      "://",
	"zeros":     "A",
	"assign":    "token=",
	"quotes":    `password="`,
	"authority": "authorization: ",
	"cookies":   "cookie: a=",
	"tokens":    "[redacted:",
	"hex":       "0123456789abcdef-us",
	"openai":    "sk-proj-",
	"telegram":  "1234567890:AA",
	"flags":     "-u a:",
	"hash":      "$6$",
	"bearer":    "bearer a ",
	"quoted":    `"a"@`,
	"escaped":   `\u00eb\u0040`,
	"entities":  "a&#64;",
	"invisible": "\u200b@\u200b",
	"wide":      "王@",
	"options":   " -p",
	"mysql":     "mysql -p",
	"pass":      "pass=",
	"phrases":   "password: a b ",
	"base64":    "QUtJ",
	"cards":     "4111 1111 ",
	"card":      "4111111111111112 ",
	"digits":    "12345678 ",
	"singles":   "1 2 3 ",
	"phones":    "phone: 12345678 ",
	"plus":      "+1 (",
	"addresses": "203.0.113.",
	"ipv6":      "2001:db8:",
	"ibans":     "GB82 WEST 1234 ",
	"states":    "AB 12 34 56 7 ",
	"ids":       "tax id 12345678901 ",
	"keys":      "app_key app_key=",
	"ahead":     "password\n{{\"value\" ",
	"said":      "the password is ",
	"cells":     "| password |",
	"jwk":       `"d":"`,
	"percent":   "%41%",
	"pluses":    "1+1+",
	"runs":      "c2VjcmV0X2tleT1hYmNk ",
	"named":     "datadog_api_key cloudflare ",
	"pipes":     "echo x | ",
	"urlat":     "://a@b@",
	"passwords": "password: hunter 22\n",
}

// TestHostileLineIsLinear counts work, not time: what candidates read stays
// within a bound per byte, or the value is replaced.
func TestHostileLineIsLinear(t *testing.T) {
	p := everything(t)
	for name, unit := range hostileUnits {
		t.Run(name, func(t *testing.T) {
			s := strings.Repeat(unit, 131<<10/len(unit))
			w := p.walk()
			w.enterTenant(pcommon.NewResource())
			out, _ := w.text(s, SpanAttribute)
			assert.GreaterOrEqual(t, w.find.work, 0)
			assert.Less(t, w.find.work, (workPerByte+2)*len(s)+workBase+2*maxPEM)
			again, changed := w.text(out, SpanAttribute)
			assert.False(t, changed)
			assert.Equal(t, out, again)
		})
	}
}

func TestTooMuchWorkReplacesTheValue(t *testing.T) {
	p := everything(t)
	s := strings.Repeat("-----BEGIN PRIVATE KEY-----!", 4000)
	out, hits := redactText(p, s)
	if hits.Failures[Failure{TooMuch, SpanAttribute}] == 0 {
		assert.NotContains(t, out, "PRIVATE")
	} else {
		assert.True(t, isToken(out, p.engine.kinds))
	}
}

func TestLongValueIsReplaced(t *testing.T) {
	p := everything(t)
	out, hits := redactText(p, strings.Repeat("QUJD", 1<<20))
	assert.True(t, isToken(out, p.engine.kinds), out)
	assert.Equal(t, int64(1), hits.Failures[Failure{TooLong, SpanAttribute}])
}

func TestDeepValueIsReplaced(t *testing.T) {
	p := everything(t)
	td := ptrace.NewTraces()
	attrs := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes()
	secret, _ := fill("AKIA{base32:16}", 1)
	in := attrs.PutEmptyMap("deep")
	for range 10000 {
		in = in.PutEmptyMap("m")
	}
	in.PutStr("s", secret)
	list := attrs.PutEmptySlice("list")
	for range 10000 {
		list = list.AppendEmpty().SetEmptySlice()
	}
	list.AppendEmpty().SetStr(secret)

	hits := p.Traces(td)
	assert.Equal(t, int64(2), hits.Failures[Failure{TooDeep, SpanAttribute}])
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	assert.NoError(t, err)
	assert.NotContains(t, string(b), secret)
	assert.Zero(t, p.Traces(td).Total())
}

func TestPanicReplacesTheValue(t *testing.T) {
	p := everything(t)
	r := *p.engineRule(t, "email")
	r.find = func(*rule, string, int, int, int, *int) (match, bool) { panic("a rule went wrong") }
	p.replaceRule(&r)
	out, hits := redactText(p, "x ada@example.com")
	assert.True(t, isToken(out, p.engine.kinds), out)
	assert.Equal(t, int64(1), hits.Failures[Failure{Panicked, SpanAttribute}])

	out, hits = redactText(p, "nothing here")
	assert.Equal(t, "nothing here", out)
	assert.Zero(t, hits.Total())
}

func (p *Policy) engineRule(t *testing.T, kind string) *rule {
	for _, rules := range p.engine.rules {
		for _, r := range rules {
			if r.kind == kind {
				return r
			}
		}
	}
	t.Fatalf("no rule of kind %s", kind)
	return nil
}

func (p *Policy) replaceRule(r *rule) {
	for _, rules := range p.engine.rules {
		for i := range rules {
			if rules[i].kind == r.kind {
				rules[i] = r
			}
		}
	}
}
