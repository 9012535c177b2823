package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCustomDetectors(t *testing.T) {
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), Content: Keep, Unknown: Keep, Custom: []Custom{
		{Name: "badge", Pattern: `BADGE-([0-9]{4,12})`, Validate: "luhn"},
		{Name: "project", Words: []string{"bluebird", "night owl", "夜鹰计划"}},
		{Name: "any_hex", Pattern: `\b[0-9a-f]{10}\b`},
	}})
	for in, want := range map[string]string{
		"badge BADGE-79927398713 ok":        `^badge BADGE-\[redacted:custom\.badge:\w{12}\] ok$`,
		"badge BADGE-79927398710 ok":        `^badge BADGE-79927398710 ok$`,
		"the Bluebird plan, NIGHT OWL too":  `^the \[redacted:custom\.project:\w{12}\] plan, \[redacted:custom\.project:\w{12}\] too$`,
		"bluebirds and nightowl":            `^bluebirds and nightowl$`,
		`{"n":"x\nbluebird"}`:               `^\{"n":"x\\n\[redacted:custom\.project:\w{12}\]"\}$`,
		"关于夜鹰计划的":                           `^关于\[redacted:custom\.project:\w{12}\]的$`,
		"id 0123456789 and 0123456789ab":    `^id \[redacted:custom\.any_hex:\w{12}\] and 0123456789ab$`,
		"[redacted:custom.x:0123456789ab]":  `^\[redacted:custom\.x:0123456789ab\]$`,
		"[redacted:custom.X!:0123456789] z": `^\[redacted:custom\.X!:\[redacted:custom\.any_hex:\w{12}\]\] z$`,
	} {
		out, _ := redactText(p, in)
		assert.Regexp(t, want, out, in)
		again, hits := redactText(p, out)
		assert.Equal(t, out, again)
		assert.Zero(t, hits.Total())
	}
}

func TestCustomPatternThatMatchesEverythingEnds(t *testing.T) {
	p := compile(t, Settings{Content: Keep, Unknown: Keep, Custom: []Custom{{Name: "all", Pattern: `.|\n`}, {Name: "tail", Pattern: `[^\[\]]+$`}}})
	out, _ := redactText(p, "anything at all\nof two lines")
	assert.NotContains(t, out, "any")
	again, hits := redactText(p, out)
	assert.Equal(t, out, again)
	assert.Zero(t, hits.Total())
}

func TestNeedles(t *testing.T) {
	for pattern, want := range map[string]string{
		`BADGE-([0-9]+)`: "BADGE-", `(?i)badge`: "", `a|bcdef`: "", `x(abcd)?`: "", `(?:ab|cd)_secret_[0-9]`: "_secret_", `[0-9]{4}`: "", `(tok_)+x`: "tok_",
	} {
		assert.Equal(t, want, needle(pattern), pattern)
	}
}

// TestAllowedValueFreesOnlyItself is a value that holds an allowed address and a
// secret: the secret goes.
func TestAllowedValueFreesOnlyItself(t *testing.T) {
	key, _ := fill("AKIA{base32:16}", 1)
	other, _ := fill("AKIA{base32:16}", 2)
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), Content: Keep, Unknown: Keep, AllowValues: []string{"@mycompany.com", "ops@example.org", other, "415-555-0132"}})
	for in, want := range map[string]string{
		"mail bob@mycompany.com key " + key:            `^mail bob@mycompany\.com key \[redacted:aws_access_key_id:\w{12}\]$`,
		"Bob@MyCompany.com, bob@notmycompany.com":      `^Bob@MyCompany\.com, \[redacted:email:\w{12}\]$`,
		"bob@mycompany.com.evil.org":                   `^\[redacted:email:\w{12}\]$`,
		"ops@example.org dev-ops@example.org":          `^ops@example\.org \[redacted:email:\w{12}\]$`,
		"AWS_ACCESS_KEY_ID=" + other + " other=" + key: `^AWS_ACCESS_KEY_ID=` + other + ` other=\[redacted:aws_access_key_id:\w{12}\]$`,
		"call 415-555-0132 or 415-555-0133":            `^call 415-555-0132 or \[redacted:phone:\w{12}\]$`,
		"password=" + other + "x":                      `^password=\[redacted:password:\w{12}\]$`,
	} {
		out, _ := redactText(p, in)
		assert.Regexp(t, want, out, in)
		again, _ := redactText(p, out)
		assert.Equal(t, out, again)
	}
}

func TestCustomProblemsNameTheirPlace(t *testing.T) {
	err := Settings{Boundary: "b", Key: testKey, AllowValues: []string{" x"}, Custom: []Custom{
		{Name: "A", Pattern: "x"}, {Name: "b", Pattern: "(x"}, {Name: "c", Pattern: "x", Words: []string{"word"}}, {Name: "d", Pattern: strings.Repeat("a{1000}", 100)},
		{Name: "e", Pattern: "x*"}, {Name: "e", Words: []string{"ab"}}, {Name: "f", Pattern: "x", Validate: "stars"}, {Name: "g", Pattern: strings.Repeat("x", 2000)},
	}}.Validate()
	for _, want := range []string{
		"detectors.custom[0].name must", "detectors.custom[1].pattern must be a regular expression, found missing closing ) at byte 0", "detectors.custom[2] must have either",
		"detectors.custom[3].pattern must compile", "detectors.custom[4].pattern must not match the empty", `detectors.custom[5].name "e" is already the name of detectors.custom[4]`,
		"detectors.custom[5].words[0] must", "detectors.custom[6].validate must be one of digit", "detectors.custom[7].pattern must have at most", "detectors.allow_values[0] must",
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestPolicyHashKnowsCustomDetectors(t *testing.T) {
	plain := compile(t, Settings{}).Hash()
	assert.NotEqual(t, plain, compile(t, Settings{Custom: []Custom{{Name: "a", Pattern: "xyz"}}}).Hash())
	assert.NotEqual(t, plain, compile(t, Settings{AllowValues: []string{"xyz"}}).Hash())
}
