package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aroundTokens are texts in which a token stands where a rule looks for a value.
var aroundTokens = []string{
	"T", "TT", "password=T", `"token": "T"`, "api_key: T rest", "https://u:T@h/x", "Authorization: Bearer T", "Cookie: a=T", "phone: T 12", "+1 T", "T@example", "AKIAT", "-u me:T",
	"name: DB_PASSWORD\n  value: T", "the password is T", "| password | T |", "mysql -pT", "%41T%42", "x=T&key=T", "c2VjcmV0T", "DD_API_KEY=T", "card T T", "-----BEGIN PRIVATE KEY-----T", "eyJT", "key T\n",
}

// TestNoRuleFindsATokenOfAny is that what stands for a value is never taken for
// one, whatever rule made it and whatever stands around it.
func TestNoRuleFindsATokenOfAny(t *testing.T) {
	p := everything(t)
	lib, err := loadLibrary()
	require.NoError(t, err)
	kinds := []string{"person_id", "too_long", "content.text.118", "custom.badge"}
	for _, r := range lib.rules {
		kinds = append(kinds, r.kind)
	}
	for _, kind := range kinds {
		token := tokenOpen + kind + ":4111aaaa1111]"
		for _, around := range aroundTokens {
			text := strings.ReplaceAll(around, "T", token)
			out, _ := redactText(p, text)
			assert.Equal(t, strings.Count(around, "T"), strings.Count(out, token), "%s in %q became %q", kind, around, out)
			again, hits := redactText(p, out)
			assert.Equal(t, out, again)
			assert.Zero(t, hits.Total())
		}
	}
}

// TestWhatIsNotASecretStays are ids, digests and names of an agent's telemetry.
func TestWhatIsNotASecretStays(t *testing.T) {
	p := everything(t)
	for _, s := range []string{
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"550e8400-e29b-41d4-a716-446655440000", "claude-opus-4-20250514", "gpt-4o-2024-08-06", "toolu_01A09q90qw90lq917835lq9", "call_8fJ2k1x9Qw3e5r7t9y1u3i5o", "1732968151123456789",
		"4111111111111112", "DE89370400440532013001", "192.168.0.17:8080", "v1.2.3.4", "2026-03-01T10:15:00+02:00", "run 20260301-101500", "0.4111111111111111", "req_011CSHoEeqs5C35K2UUqR7Fy",
		"max_tokens=4096 input_tokens: 12345678", "password: str = Field(min_length=8)", "token = tokens[i+1]",
	} {
		out, hits := redactText(p, s)
		assert.Equal(t, s, out)
		assert.Zero(t, hits.Total(), s)
	}
}

// TestBlocksAreOneToken is a secret inside a list and one of several
// lines.
func TestBlocksAreOneToken(t *testing.T) {
	p := everything(t)
	block, _ := fill("-----BEGIN PRIVATE KEY-----\n{b64:64}\n{b64:64}\n-----END PRIVATE KEY-----", 1)
	for text, want := range map[string]string{
		"key:\n" + block + "\nnext line":                                   `^key:\n\[redacted:private_key:\w{12}\]\nnext line$`,
		`{"k":"` + strings.ReplaceAll(block, "\n", `\n`) + `\n","n":1}`:    `^\{"k":"\[redacted:private_key:\w{12}\]\\n","n":1\}$`,
		"+" + strings.ReplaceAll(block, "\n", "\n+"):                       `^\+\[redacted:private_key:\w{12}\]$`,
		"  " + strings.ReplaceAll(block, "\n", "\r\n    ") + "\r\nport: 1": `^  \[redacted:private_key:\w{12}\]\r\nport: 1$`,
	} {
		out, _ := redactText(p, text)
		assert.Regexp(t, want, out)
	}
}

// FuzzDetectors is any text through every detector: a second pass changes nothing,
// nothing panics, and what is found lies in the text.
func FuzzDetectors(f *testing.F) {
	lib, err := loadLibrary()
	require.NoError(f, err)
	for _, spec := range lib.specs {
		text, _ := fill(spec.Yes[0], 1)
		f.Add(text)
	}
	for _, unit := range hostileUnits {
		f.Add(strings.Repeat(unit, 3))
	}
	for _, around := range aroundTokens {
		f.Add(strings.ReplaceAll(around, "T", "[redacted:email:0123456789ab]"))
	}
	p := compile(f, Settings{Secrets: true, PII: PIIKinds(), Content: Keep, PersonIDs: Keep, Unknown: Keep,
		Custom: []Custom{{Name: "badge", Pattern: `B-([0-9]+)`}, {Name: "any", Pattern: `[xyz]{3,}$`}, {Name: "word", Words: []string{"night owl"}}}, AllowValues: []string{"@example.com"}})
	f.Fuzz(func(t *testing.T, text string) {
		out, hits := redactText(p, text)
		for failure := range hits.Failures {
			require.NotEqual(t, Panicked, failure.Reason)
		}
		again, more := redactText(p, out)
		require.Equal(t, out, again)
		require.Zero(t, more.Total())
		if hits.Total() == 0 {
			require.Equal(t, text, out)
		}
	})
}
