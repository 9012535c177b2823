package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// TestAutomatonFindsWhatASearchFinds compares with a plain search, on a small
// alphabet so that keywords overlap and hold each other.
func TestAutomatonFindsWhatASearchFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	word := func(n int) string {
		b := make([]byte, 1+rng.IntN(n))
		for i := range b {
			b[i] = "abA-\x80"[rng.IntN(5)]
		}
		return string(b)
	}
	for range 500 {
		var words []string
		for range 1 + rng.IntN(12) {
			if w := strings.ToLower(strings.ReplaceAll(word(6), "\x80", "c")); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		a, err := newAutomaton(words)
		require.NoError(t, err)
		s := word(80)
		var got, want [][2]int
		for i := a.seek(s, 0); i < len(s); i = a.seek(s, i+1) {
			state := trieRoot
			for k := i; k < len(s) && state != 0; k++ {
				state = int(a.next[state<<a.shift|int(a.class[s[k]])])
				if id := a.ends[state]; id >= 0 {
					got = append(got, [2]int{k + 1, int(id)})
				}
			}
		}
		for i := 1; i <= len(s); i++ {
			for id, w := range words {
				if i >= len(w) && foldEqual(s[i-len(w):i], w) {
					want = append(want, [2]int{i, id})
				}
			}
		}
		assert.ElementsMatch(t, want, got, "words %q text %q", words, s)
	}
}

func TestAutomatonRefusesAnEmptyKeyword(t *testing.T) {
	_, err := newAutomaton([]string{"a", ""})
	assert.ErrorContains(t, err, "keyword must not be empty")
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		end           int // -1 is no match
	}{
		{`ab[0-9]{3}`, "ab123x", 5},
		{`ab[0-9]{3}`, "ab12", -1},
		{`a(?:b|cd)+e?`, "abcdbe", 6},
		{`(?i:abc)=x`, "aBC=x", 5},
		{`(?i:abc)=x`, "aBC=X", -1},
		{`[^ ]{2,}`, "äö b", 4},
		{`a[a-z]*z`, "abcz", -1}, // possessive: the class took the z
		{`(?i)[k]+`, "kK\xe2", 2},
	} {
		sh, err := compileShape(c.pattern)
		require.NoError(t, err, c.pattern)
		var cap capture
		var work int
		assert.Equal(t, c.end, sh.match(c.text, 0, &cap, &work), "%s on %s", c.pattern, c.text)
	}
	for _, pattern := range []string{`a+?`, `a\b`, `^a`, `(`, `a$`} {
		_, err := compileShape(pattern)
		assert.Error(t, err, pattern)
	}
}

func TestRulesAreRefused(t *testing.T) {
	ok := ruleSpec{Kind: "x", Keywords: []string{"x"}, Shape: "x"}
	for want, change := range map[string]func(*ruleSpec){
		"kind must be":                        func(s *ruleSpec) { s.Kind = "X:" },
		"keywords must not be empty":          func(s *ruleSpec) { s.Keywords = nil },
		"free must be left, right or both":    func(s *ruleSpec) { s.Free = "up" },
		`check "nope" is not known`:           func(s *ruleSpec) { s.Checks = []string{"nope"} },
		"one of shape and matcher":            func(s *ruleSpec) { s.Matcher = "email" },
		`matcher "nope" is not known`:         func(s *ruleSpec) { s.Shape, s.Matcher = "", "nope" },
		"before must be one class":            func(s *ruleSpec) { s.Before = "[0-9]+" },
		"shape: error parsing regexp":         func(s *ruleSpec) { s.Shape = "(" },
		"before: error parsing regexp":        func(s *ruleSpec) { s.Before = "[" },
		"lazy repeat a+? is not possible":     func(s *ruleSpec) { s.Shape = "a+?" },
		`\b is not part of the pattern langu`: func(s *ruleSpec) { s.Shape = `a\b` },
	} {
		spec := ok
		change(&spec)
		_, err := compileRule(spec)
		assert.ErrorContains(t, err, want)
	}
}

func TestCredentialKeys(t *testing.T) {
	names, err := loadSecretNames()
	require.NoError(t, err)
	for _, key := range []string{"Authorization", "http.request.header.authorization", "db_password", "x-api-key", "config/API_KEY", "githubAccessToken", "token", "client-secret", "Set-Cookie",
		"http.request.header.x-vault-token", "rpc.request.metadata.x-auth-key", "http.request.header.x-hub-signature-256", "http.request.header.x-session", "github_token", "sasToken", "password_hash"} {
		assert.True(t, names.match(key), key)
	}
	for _, key := range []string{"gen_ai.token.type", "gen_ai.usage.input_tokens", "app.effect.idempotency_key", "app.session.id", "sessionId", "tokens", "authorization.rule", "key", "",
		"llm.time_per_output_token", "next_page_token", "http.request.header.etag", "http.request.header.x-monkey", "header.key.x", "gen_ai.usage.input_token"} {
		assert.False(t, names.match(key), key)
	}
}

// TestNoPinnedKeyIsACredential keeps rules/keys.yaml from masking what later
// steps read.
func TestNoPinnedKeyIsACredential(t *testing.T) {
	names, err := loadSecretNames()
	require.NoError(t, err)
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	require.NoError(t, err)
	attributes := snapshot.Attributes
	for _, r := range []*semconv.Registry{semconv.App(), semconv.Core()} {
		for _, g := range r.Groups {
			attributes = append(attributes, g.Attributes...)
		}
	}
	require.Greater(t, len(attributes), 100)
	for _, a := range attributes {
		assert.False(t, names.match(a.Key), a.Key)
	}
}
