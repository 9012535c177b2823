package redact

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seams are bytes at which rules start, end or turn.
const seams = "\"'`:=|,<>/{}[]()\\\n %+-@$#;&"

// TestSplicedExamplesAreFixedPoints cuts the rules' own examples and joins the
// pieces, now and then with a byte in between: what half a notation is followed by
// must neither hang nor panic a rule, nor make a text that a second pass changes.
func TestSplicedExamplesAreFixedPoints(t *testing.T) {
	lib, err := loadLibrary()
	require.NoError(t, err)
	var texts []string
	for _, spec := range lib.specs {
		for _, example := range append(append([]string(nil), spec.Yes...), spec.No...) {
			text, _ := fill(example, 3)
			texts = append(texts, text)
		}
	}
	p := everything(t)
	rng := rand.New(rand.NewPCG(11, 4))
	piece := func() string {
		s := texts[rng.IntN(len(texts))]
		i := rng.IntN(len(s) + 1)
		return s[i : i+rng.IntN(len(s)-i+1)]
	}
	now := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 30_000 {
			s := piece()
			for range 1 + rng.IntN(3) {
				if rng.IntN(2) == 0 {
					s += string(seams[rng.IntN(len(seams))])
				}
				s += piece()
			}
			select {
			case <-now:
			default:
			}
			now <- s
			out, hits := redactText(p, s)
			assert.Empty(t, hits.Failures, "%q", s)
			again, _ := redactText(p, out)
			assert.Equal(t, out, again, "%q", s)
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("hangs in %q", <-now)
	}
}

// TestEndsOfElementsEnd is text in which the end of an element has no name.
func TestEndsOfElementsEnd(t *testing.T) {
	p := everything(t)
	for _, s := range []string{"password</=", "<password</>value: x", `"password"</<value>`, "token</ value"} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			redactText(p, s)
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("hangs in %q", s)
		}
	}
}
