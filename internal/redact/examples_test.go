package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const testKey = "a key that only tests use"

func compile(t testing.TB, s Settings) *Policy {
	t.Helper()
	if s.Boundary == "" {
		s.Boundary = "test"
	}
	if s.Key == "" {
		s.Key = testKey
	}
	p, err := Compile(s)
	require.NoError(t, err)
	return p
}

func everything(t testing.TB) *Policy {
	return compile(t, Settings{Secrets: true, PII: PIIKinds(), Content: Keep, PersonIDs: Keep, Unknown: Keep})
}

// redactText is one text through the policy.
func redactText(p *Policy, s string) (string, Hits) {
	w := p.walk()
	w.enterTenant(pcommon.NewResource())
	out, _ := w.text(s, SpanAttribute)
	return out, p.done(w)
}

var (
	hole    = regexp.MustCompile(`\{([A-Za-z0-9]+):([0-9]+)\}`)
	classes = map[string]string{
		"alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "lower": "abcdefghijklmnopqrstuvwxyz",
		"upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "digit": "0123456789", "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF",
		"b64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "base32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		"b64url":    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
		"base32low": "abcdefghijklmnopqrstuvwxyz234567",
		"lalnum":    "abcdefghijklmnopqrstuvwxyz0123456789", "ualnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	}
)

// fill makes an example's text: the same one every time, and the parts that
// must not survive.
func fill(example string, seed uint64) (text string, parts []string) {
	rng := rand.New(rand.NewPCG(seed, 7))
	text = hole.ReplaceAllStringFunc(example, func(h string) string {
		m := hole.FindStringSubmatch(h)
		n, _ := strconv.Atoi(m[2])
		part := draw(rng, m[1], n)
		if n >= 6 {
			parts = append(parts, part)
		}
		return part
	})
	return text, parts
}

func draw(rng *rand.Rand, class string, n int) string {
	switch class {
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("user:" + draw(rng, "alnum", n)))
	case "jwt":
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + "eyJ" + draw(rng, "b64url", n)
	}
	alphabet, ok := classes[class]
	if !ok {
		panic("example class " + class)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	if class != "digit" && class != "lower" && class != "upper" && n >= 4 { // a digit and a letter, whatever the dice say
		b[1], b[n-2] = '7', alphabet[0]
		if class == "hex" {
			b[n-2] = 'a'
		}
	}
	return string(b)
}

func TestRuleExamples(t *testing.T) {
	lib, err := loadLibrary()
	require.NoError(t, err)
	p := everything(t)
	for _, spec := range lib.specs {
		t.Run(spec.Kind, func(t *testing.T) {
			require.NotEmpty(t, spec.Yes)
			require.NotEmpty(t, spec.No)
			for i, example := range spec.Yes {
				seeds := uint64(20)
				if !hole.MatchString(example) {
					seeds = 1
				}
				for seed := range seeds {
					text, parts := fill(example, seed)
					out, hits := redactText(p, text)
					if !assert.Positive(t, hits.Values[Hit{spec.Kind, SpanAttribute}], "yes[%d]: %s\nbecame %s", i, text, out) {
						break
					}
					for _, part := range parts {
						assert.NotContains(t, out, part, "yes[%d]: %s", i, text)
					}
					again, more := redactText(p, out)
					assert.Equal(t, out, again)
					assert.Zero(t, more.Total())
				}
			}
			for i, example := range spec.No {
				text, _ := fill(example, 1)
				_, hits := redactText(p, text)
				assert.Zero(t, hits.Values[Hit{spec.Kind, SpanAttribute}], "no[%d]: %s", i, text)
			}
		})
	}
}

func TestSecretKindsAreMany(t *testing.T) {
	lib, err := loadLibrary()
	require.NoError(t, err)
	secrets := 0
	for _, r := range lib.rules {
		if !r.pii {
			secrets++
		}
	}
	assert.GreaterOrEqual(t, secrets, 200)
}
