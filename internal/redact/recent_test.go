package redact

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestRecentRemembersWhatCameTwice(t *testing.T) {
	r := newRecent()
	for i, want := range []bool{false, false, true, true} {
		hash, ok := r.has("claude-opus-4")
		assert.Equal(t, want, ok, i)
		if !ok {
			r.note(hash, "claude-opus-4")
		}
	}
	for i := range 100000 { // what comes once does not stay, whatever it pushes out
		s := fmt.Sprint("id-", i)
		hash, ok := r.has(s)
		assert.False(t, ok)
		r.note(hash, s)
	}
	_, ok := r.has("")
	assert.False(t, ok)
	hash, _ := r.has(text(maxRecent + 1))
	assert.Zero(t, hash)
}

// A text that stayed under a key that is trusted with text is not thereby one that
// stays under a key that nobody knows.
func TestRecentDoesNotOutrankTheKey(t *testing.T) {
	p := compile(t, Settings{Secrets: true, Allow: []string{"acme.note"}})
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	for range 4 {
		a := ss.Spans().AppendEmpty().Attributes()
		a.PutStr("acme.note", "what somebody wrote")
		a.PutStr("house.note", "what somebody wrote")
		a.PutStr("house.password", "hunter2")
		a.PutStr("house.word", "hunter2")
	}
	p.Traces(td)
	for _, s := range ss.Spans().All() {
		got := s.Attributes().AsRaw()
		assert.Equal(t, "what somebody wrote", got["acme.note"])
		assert.Regexp(t, `^\[redacted:content.text.19:`, got["house.note"])
		assert.Regexp(t, `^\[redacted:credential_key:`, got["house.password"])
		assert.Equal(t, "hunter2", got["house.word"])
	}
}
