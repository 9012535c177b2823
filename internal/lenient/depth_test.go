package lenient

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// nestedLog has a body of so many values in each other: arrays and maps in turn.
func nestedLog(t *testing.T, values int) []byte {
	logs := plog.NewLogs()
	record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	nest(record.Body(), values)
	body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	return body
}

func nest(v pcommon.Value, values int) {
	for i := range values {
		if i%2 == 0 {
			v = v.SetEmptySlice().AppendEmpty()
		} else {
			v = v.SetEmptyMap().PutEmpty("k")
		}
	}
}

// Messages of a request in protobuf are counted: the last level that is allowed
// passes and one more does not. An array in a value is two messages, a map three.
func TestNestingInProtobuf(t *testing.T) {
	for _, c := range []struct{ values, levels int }{{0, 5}, {1, 7}, {2, 10}, {3, 12}, {200, 505}} {
		body := nestedLog(t, c.values)
		require.NoError(t, CheckNesting(Logs, body, c.levels), "%d values", c.values)
		require.ErrorContains(t, CheckNesting(Logs, body, c.levels-1), "must not nest messages deeper", "%d values", c.values)
	}
	// Depth that no decoder survives, refused without being followed.
	require.Error(t, CheckNesting(Logs, deepProtobuf(20<<20), levels))
}

// deepProtobuf is a request of about size bytes that is nothing but nesting.
func deepProtobuf(size int) []byte {
	buf := make([]byte, size)
	start := size
	put := func(tag byte) {
		n := size - start
		start -= 5
		copy(buf[start:], []byte{tag, byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n >> 21)})
	}
	for start > 30 {
		put(0x0a) // a value of an array
		put(0x2a) // an array of a value
	}
	for _, tag := range []byte{0x2a, 0x12, 0x12, 0x0a} { // body, record, scope, resource
		put(tag)
	}
	return buf[start:]
}

// Whatever the bytes: fewer levels are never too deep where more are not, and no
// body is too deep that has fewer than two bytes a level.
func FuzzCheckNesting(f *testing.F) {
	f.Add(deepProtobuf(1<<10), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, signal uint8) {
		s, was := signals[int(signal)%len(signals)], true
		for _, limit := range []int{1, 2, 3, 5, 8, 20, 100, len(body)/2 + 1} {
			deep := CheckNesting(s, body, limit) != nil
			if deep && limit > len(body)/2 && limit > 1 {
				t.Fatalf("too deep for %d levels at two bytes a level", limit)
			}
			if limit <= len(body)/2 && deep && !was {
				t.Fatalf("too deep for %d levels, and not for fewer", limit)
			}
			was = deep
		}
	})
}
