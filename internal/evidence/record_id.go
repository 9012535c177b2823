package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// RecordIDOf digests everything a record says. Every part is prefixed by its
// length or its type, so that no two different records give the same bytes. When a
// line of a file was read says nothing: read again, after a crash, it is the same.
func RecordIDOf(r *Record) RecordID {
	b := make([]byte, 0, 1024)
	b = digestString(b, r.Tenant)
	b = digestInt(b, r.Time)
	if _, line := r.Attrs[semconv.LogFileRecordOffset]; line {
		b = digestInt(b, 0)
	} else {
		b = digestInt(b, r.Observed)
	}
	b = digestString(b, r.Event)
	b = digestString(b, r.Severity)
	b = append(b, r.Step.Trace[:]...)
	b = append(b, r.Step.Span[:]...)
	b = digestString(b, r.Scope)
	b = digestString(b, r.ScopeVersion)
	b = digestValue(b, r.Body)
	b = digestMap(b, r.Attrs)
	b = digestMap(b, r.Resource)
	sum := sha256.Sum256(b)
	return RecordID(sum[:16])
}

func digestInt(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

func digestString(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

func digestMap(b []byte, m map[string]any) []byte {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = binary.BigEndian.AppendUint32(b, uint32(len(keys)))
	for _, k := range keys {
		b = digestString(b, k)
		b = digestValue(b, m[k])
	}
	return b
}

func digestValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case string:
		return digestString(append(b, 's'), v)
	case int64:
		return digestInt(append(b, 'i'), v)
	case float64:
		return digestInt(append(b, 'd'), int64(math.Float64bits(v)))
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case []byte:
		return digestString(append(b, 'b'), string(v))
	case []any:
		b = binary.BigEndian.AppendUint32(append(b, 'l'), uint32(len(v)))
		for _, item := range v {
			b = digestValue(b, item)
		}
		return b
	case map[string]any:
		return digestMap(append(b, 'm'), v)
	}
	// No value of pdata comes here; a record built by hand still gets an id.
	return digestString(append(b, '?'), fmt.Sprintf("%T", v))
}
