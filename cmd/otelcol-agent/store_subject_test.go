package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

func TestASubjectIsADigest(t *testing.T) {
	for given, want := range map[string]string{
		"[redacted:email:0123456789ab]":              ":0123456789ab]",
		"[redacted:content.text.118:0123456789ab]":   ":0123456789ab]",
		" 0123456789ab\n":                            ":0123456789ab]",
		"hmac:0123456789abcdef0123456789abcdef":      "hmac:0123456789abcdef0123456789abcdef",
		"0123456789abcdef":                           "0123456789abcdef",
		"sha256:0123456789abcdef0123":                "sha256:0123456789abcdef0123",
		"user_0123456789abcdef0123":                  "user_0123456789abcdef0123",
		"01234567-89ab-cdef-0123-456789abcdef":       "01234567-89ab-cdef-0123-456789abcdef",
		"account:01234567-89ab-cdef-0123-456789abcd": "account:01234567-89ab-cdef-0123-456789abcd",
	} {
		got, err := subjectOf(given)
		require.NoError(t, err, given)
		require.Equal(t, want, got)
	}
	for _, given := range []string{"", someone, "Ada Lovelace of London", "short", "0123456789a", "0123456789ab]", "[redacted:email:0123456789ab", "[redacted:email:0123456789]",
		"hmac:0123456789ab", "aaaaaaaaaaaa-bbbbbbbbbbbbbbbbbb@example.com", "abcdefghijklmnopqrstuvwxyz", "sha256:", "0123456789ABCD", "user_0123-4567-89ab"} {
		_, err := subjectOf(given)
		require.ErrorContains(t, err, "redact --value", given)
		if len(given) > 12 {
			require.NotContains(t, err.Error(), given)
		}
	}
}

func TestATokenIsErasedUnderEveryKind(t *testing.T) {
	path := storeOf(t, 3)
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now})
	require.NoError(t, err)
	var b evidence.Batch
	for i, text := range []string{"[redacted:email:aaaaaaaaaaaa]", "to [redacted:person_id:aaaaaaaaaaaa]!", "[redacted:email:bbbbbbbbbbbb]", "aaaaaaaaaaaa"} {
		at := time.Now().UnixNano()
		b.Spans = append(b.Spans, evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{2}, Span: evidence.SpanID{byte(i + 1)}}, Name: "s", Start: at, End: at, Status: "unset", Attrs: evidence.Attrs{"who": text}})
	}
	_, err = w.Write(context.Background(), b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, given := range []string{"aaaaaaaaaaaa", "[redacted:phone:aaaaaaaaaaaa]"} {
		require.Contains(t, run(t, nil, "store", "erase", "--store", path, "--subject", given, "--dry-run"), "would be erased: 2 spans")
	}
	require.Contains(t, run(t, nil, "store", "erase", "--store", path, "--subject", "aaaaaaaaaaaa"), "erased: 2 spans")
	_, _, err = execute("store", "erase", "--store", path, "--subject", "aaaaaaaaaaaa")
	require.ErrorContains(t, err, "nothing found")
	var usage usageError
	require.False(t, errors.As(err, &usage))
	run(t, nil, "verify", "--store", path)
}
