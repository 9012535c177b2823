package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// file is a store at a path with one task.
func file(t *testing.T, path, task string) {
	t.Helper()
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	_, err = w.Write(t.Context(), one(evidence.Attrs{"app.task.id": task, "app.permission.decision": "deny", "app.permission.rule.id": "rule-of-" + task}))
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// What is shown is what the file at the store's place has, not what one had that is
// gone; nothing of the old one is remembered.
func TestAStoreThatIsReplacedIsReadAnew(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "evidence.db")
	file(t, path, "t-old")
	file(t, filepath.Join(folder, "new.db"), "t-new")
	h, err := New(Settings{Open: func(context.Context) (evidence.Reader, error) { return sqlite.OpenReader(path) }, Now: time.Now})
	require.NoError(t, err)
	defer h.Close()
	require.Contains(t, get(t, h, "/tasks").Body.String(), "t-old")
	require.Contains(t, get(t, h, "/policy").Body.String(), "rule-of-t-old")
	for _, end := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.RemoveAll(path+end))
	}
	w := get(t, h, "/api/v1/tasks")
	require.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
	require.NoError(t, os.Rename(filepath.Join(folder, "new.db"), path))
	for _, address := range []string{"/tasks", "/policy"} {
		body := get(t, h, address).Body.String()
		require.Contains(t, body, "t-new")
		require.NotContains(t, body, "t-old")
	}
	require.Equal(t, http.StatusNotFound, get(t, h, "/tasks/t-old").Code)
}

// Who asks while a store takes its time to open waits for as long as they want to,
// not for everybody before them; closing waits for nobody.
func TestASlowStoreHoldsNobody(t *testing.T) {
	h, err := New(Settings{Now: time.Now, Open: func(ctx context.Context) (evidence.Reader, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	require.NoError(t, err)
	ask := func(wait time.Duration) (int, time.Duration) {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		w := httptest.NewRecorder()
		began := time.Now()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/tasks", http.NoBody))
		return w.Code, time.Since(began)
	}
	first, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(first, http.MethodGet, "/tasks", http.NoBody))
	})
	for len(h.opened.turn) == 0 {
		time.Sleep(time.Millisecond)
	}
	code, took := ask(50 * time.Millisecond)
	require.Equal(t, http.StatusGatewayTimeout, code)
	require.Less(t, took, 5*time.Second)
	began := time.Now()
	require.NoError(t, h.Close())
	require.Less(t, time.Since(began), 5*time.Second)
	leave()
	all.Wait()
}
