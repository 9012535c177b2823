package redactcorpus

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit  = "0123456789"
	hexLow = digit + "abcdef"
	alnum  = upper + lower + digit
	b64    = alnum + "+/"
	b64url = alnum + "-_"
	b32    = upper + "234567"
)

// dice draws parts of values.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x5eed))} }

func (d dice) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.IntN(len(alphabet))]
	}
	return string(b)
}

func (d dice) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

func (d dice) word() string {
	return pick(d, strings.Fields("amber basil cedar delta ember flint grove harbor island juniper kettle lantern meadow nectar orchid pebble quartz river saddle timber umbra velvet willow yonder zephyr copper marble falcon garden winter summer silver"))
}

func (d dice) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.IntN(256))
	}
	return b
}

func (d dice) base64Of(n int) string { return base64.StdEncoding.EncodeToString(d.bytes(n)) }

func (d dice) uuid() string {
	return d.of(hexLow, 8) + "-" + d.of(hexLow, 4) + "-4" + d.of(hexLow, 3) + "-" + pick(d, []string{"8", "9", "a", "b"}) + d.of(hexLow, 3) + "-" + d.of(hexLow, 12)
}

// lines breaks a text every n characters.
func lines(s string, n int, sep string) string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return strings.Join(append(out, s), sep)
}
