package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is found, put in place of where it was found, is what the policy makes of
// the text.
func applied(s string, found []Found) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.Start])
		b.WriteString(f.Token)
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}

func TestFindTellsWhereAndWhat(t *testing.T) {
	p := everything(t)
	key, _ := fill("AKIA{base32:16}", 1)
	s := "mail ada@example.com, key " + key + "\nand ada@example.com again"
	found := p.Find(s)
	require.Len(t, found, 3)
	assert.Equal(t, []string{"email", "aws_access_key_id", "email"}, []string{found[0].Rule, found[1].Rule, found[2].Rule})
	assert.Equal(t, "ada@example.com", s[found[0].Start:found[0].End])
	assert.Equal(t, key, s[found[1].Start:found[1].End])
	assert.Equal(t, found[0].Token, found[2].Token, "equal values, equal tokens")
	assert.Empty(t, p.Find("nothing to see"))
	assert.Empty(t, p.Find(""))
}

func TestFindAgreesWithThePolicy(t *testing.T) {
	p := everything(t)
	lib, err := loadLibrary()
	require.NoError(t, err)
	texts := []string{agentText, "password=ada@example.com:hunter2hunter2 x", strings.Repeat("x", DefaultMaxValueBytes+1)}
	var all strings.Builder
	for i, spec := range lib.specs {
		for _, example := range spec.Yes {
			text, _ := fill(example, uint64(i))
			texts = append(texts, text)
			all.WriteString(text + " | ")
		}
	}
	texts = append(texts, all.String())
	seen := 0
	for _, s := range texts {
		want, _ := redactText(p, s)
		found := p.Find(s)
		assert.Equal(t, want, applied(s, found))
		seen += len(found)
	}
	assert.Greater(t, seen, 200)
}
