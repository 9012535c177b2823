package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// serving is a handler over a store of its own with these rows in it.
func serving(t *testing.T, b evidence.Batch, change ...func(*Settings)) *Handler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	_, err = w.Write(t.Context(), b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	set := Settings{Open: func(context.Context) (evidence.Reader, error) { return sqlite.OpenReader(path) }, Now: time.Now, Version: "1.2.3"}
	for _, c := range change {
		c(&set)
	}
	h, err := New(set)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

// incidents is one planted incident of every kind.
func incidents() (b evidence.Batch) {
	for seed := range uint64(planted.Kinds()) {
		run := planted.New(seed).Run
		b.Spans, b.Records = append(b.Spans, run.Spans...), append(b.Records, run.Records...)
	}
	return b
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w
}

// one is a run of one span with these attributes.
func one(attrs evidence.Attrs, change ...func(*evidence.Span)) evidence.Batch {
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	s := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1, 2}, Span: evidence.SpanID{3}}, Name: "invoke_agent coder", Start: at, End: at + 1e9, Attrs: attrs, Status: evidence.StatusUnset}
	for _, c := range change {
		c(&s)
	}
	return evidence.Batch{Spans: []evidence.Span{s}}
}

const (
	oneTrace = "01020000000000000000000000000000"
	oneSpan  = "0300000000000000"
)
