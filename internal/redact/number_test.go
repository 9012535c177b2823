package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TestNextNumberStopsWhereAByteSaysSo compares with a look at each byte.
func TestNextNumberStopsWhereAByteSaysSo(t *testing.T) {
	const alphabet = "ab/:;0359[Z\\\x00\x80\xb0\xdb\xff  "
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		b := make([]byte, rng.IntN(40))
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		s := string(b)
		for i := 0; i <= len(s); i++ {
			want := strings.IndexAny(s[i:], "0123456789[")
			if want < 0 {
				want = len(s) - i
			}
			if !assert.Equal(t, i+want, nextNumber(s, i), "%q from %d", s, i) {
				return
			}
		}
	}
}

// TestGroupsNeedDigits are short groups behind which there is too little, and the
// shortest numbers that the rules know.
func TestGroupsNeedDigits(t *testing.T) {
	for _, s := range []string{"0.02s", "41: schema", "0.2. Next", "12 of 40", "7", "1    2    3    4"} {
		assert.False(t, groups(s, 0), s)
	}
	for _, s := range []string{"1.1.1.1", "2001::1", "1.234.567-8", "555-0132", "06 12 34 56 78", "1 (415) 555-0132", "12 34 56 7"} {
		assert.True(t, groups(s, 0), s)
	}
}

// TestKeysOfAnotherItemDoNotCount is that a class is remembered for the key, not
// for its place in the item.
func TestKeysOfAnotherItemDoNotCount(t *testing.T) {
	p := compile(t, Settings{Secrets: true, Unknown: Keep})
	attrs := pcommon.NewMap()
	for i := range 3 {
		w := p.walk()
		w.enterTenant(pcommon.NewResource())
		for _, keys := range [][]string{{"house.word", "db_password"}, {"db_password", "house.word"}, {"house.word", "db_password"}} {
			w.begin()
			attrs.RemoveIf(func(string, pcommon.Value) bool { return true })
			for _, k := range keys {
				attrs.PutStr(k, fmt.Sprint("word", i))
			}
			w.attributes(attrs, SpanAttribute)
			got := attrs.AsRaw()
			assert.Equal(t, fmt.Sprint("word", i), got["house.word"])
			assert.Regexp(t, `^\[redacted:credential_key:`, got["db_password"])
		}
		p.done(w)
	}
}
