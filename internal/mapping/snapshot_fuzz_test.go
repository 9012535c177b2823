package mapping

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// fuzzSpan reads a span from bytes: each attribute is a key of some snapshot, or
// the text itself, and a value of some type.
func fuzzSpan(data []byte, keys []semconv.Attribute) ptrace.Span {
	span := ptrace.NewSpan()
	next := func(n int) []byte {
		n = min(n, len(data))
		out := data[:n]
		data = data[n:]
		return out
	}
	number := func() uint64 {
		var b [8]byte
		copy(b[:], next(8))
		return binary.LittleEndian.Uint64(b[:])
	}
	if head := next(1); len(head) == 1 {
		span.SetKind(ptrace.SpanKind(head[0] % 6))
	}
	for len(data) > 2 && span.Attributes().Len() < 64 {
		head := next(2)
		key := keys[int(head[0])%len(keys)].Key
		if head[1]&0x80 != 0 {
			key = string(next(int(head[1]>>3) & 7))
		}
		v := span.Attributes().PutEmpty(key)
		switch head[1] & 7 {
		case 0:
			v.SetInt(int64(number()))
		case 1:
			v.SetDouble(math.Float64frombits(number()))
		case 2:
			v.SetBool(head[1]&8 != 0)
		case 3:
			v.SetEmptySlice().AppendEmpty().SetStr(string(next(3)))
		case 4:
			v.SetEmptyMap().PutStr("k", string(next(3)))
		case 5: // empty
		default:
			word := string(next(int(head[1]>>3) & 15))
			if words := keys[int(head[0])%len(keys)].Values; len(words) > 0 && head[1]&0x40 != 0 {
				word = words[len(word)%len(words)]
			}
			v.SetStr(word)
		}
	}
	return span
}

// No input makes a translation panic, differ from one pass to the next, touch
// what it does not need, or fail to come back once it is in a snapshot's words.
func FuzzTranslateSpan(f *testing.F) {
	f.Add([]byte{3, 10, 0x46, 'a', 20, 1, 0, 0, 0, 0, 0, 0, 68, 64, 40, 0}, byte(0), byte(5))
	f.Add([]byte(strings.Repeat("\x1b\x07openai", 20)), byte(2), byte(1))
	var into []*translator
	for _, s := range semconv.Chain() {
		into = append(into, newTranslator(s))
	}
	all := everyKey()
	f.Fuzz(func(t *testing.T, data []byte, home, goal byte) {
		h := int(home) % len(into)
		x, back := into[int(goal)%len(into)], into[h]

		mixed := fuzzSpan(data, all)
		needed := false
		for k, v := range mixed.Attributes().All() {
			needed = needed || x.needs(k, v)
		}
		var y tally
		if x.span(mixed, &y) && !needed {
			t.Fatal("changed what it did not need to")
		}
		once := raw(mixed)
		if x.span(mixed, &y) || raw(mixed) != once {
			t.Fatal("twice is not once")
		}
		recognise("", mixed.Attributes())

		own := fuzzSpan(data, semconv.Chain()[h].Attributes)
		own.Attributes().RemoveIf(func(k string, _ pcommon.Value) bool {
			return back.keys[k] != nil && !back.keys[k].native
		})
		back.span(own, nil)
		before := raw(own)
		x.span(own, nil)
		back.span(own, nil)
		if raw(own) != before {
			t.Fatalf("%s did not come back as it was but as\n%s", before, raw(own))
		}
	})
}
