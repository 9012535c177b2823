package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// An answer about a run is good until a row of the run comes, also one that is older
// than the run's others.
func TestAnAnswerIsKnownByItsTag(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	defer w.Close()
	b := one(evidence.Attrs{"app.task.id": "t"})
	_, err = w.Write(t.Context(), b)
	require.NoError(t, err)
	h, err := New(Settings{Now: time.Now, Open: func(context.Context) (evidence.Reader, error) { return sqlite.OpenReader(path) }})
	require.NoError(t, err)
	defer h.Close()
	addresses := []string{"/tasks/t", "/api/v1/tasks/t", "/tasks/t/report", "/tasks/t/graph", "/traces/" + oneTrace, "/traces/" + oneTrace + "/spans/" + oneSpan}
	tags := map[string]string{}
	ask := func(address string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
		r.Header.Set("If-None-Match", tags[address])
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, address := range addresses {
		first := get(t, h, address)
		require.Equal(t, http.StatusOK, first.Code, address)
		tags[address] = first.Header().Get("ETag")
		require.NotEmpty(t, tags[address], address)
		require.Equal(t, first.Body.String(), get(t, h, address).Body.String(), "%s: the remembered answer is the answer", address)
		again := ask(address)
		require.Equal(t, http.StatusNotModified, again.Code, address)
		require.Empty(t, again.Body.String(), address)
	}
	older := b.Spans[0]
	older.ID.Span, older.Parent, older.Name = evidence.SpanID{9}, older.ID.Span, "execute_tool newly-come"
	older.End = older.Start + 1
	_, err = w.Write(t.Context(), evidence.Batch{Spans: []evidence.Span{older}})
	require.NoError(t, err)
	for _, address := range addresses {
		now := ask(address)
		require.Equal(t, http.StatusOK, now.Code, address)
		require.NotEqual(t, tags[address], now.Header().Get("ETag"), address)
	}
	require.Contains(t, get(t, h, "/traces/"+oneTrace).Body.String(), "newly-come")
	require.Equal(t, http.StatusNotFound, get(t, h, "/tasks/unknown").Code)
	require.Empty(t, get(t, h, "/tasks/unknown").Header().Get("ETag"))
}

// held is a store whose answers wait until they are let go, or the asker leaves.
type held struct {
	evidence.Reader
	let   chan struct{}
	asked atomic.Int32
	left  atomic.Int32
}

func (s *held) Page(ctx context.Context, _ evidence.PageQuery, _ func(evidence.Run, evidence.Place) bool) error {
	s.asked.Add(1)
	select {
	case <-s.let:
		return nil
	case <-ctx.Done():
		s.left.Add(1)
		return ctx.Err()
	}
}

func holding(t *testing.T, readers int) (*held, *Handler) {
	t.Helper()
	s := &held{let: make(chan struct{})}
	h, err := New(Settings{Now: time.Now, Readers: readers, MCP: true, Open: func(context.Context) (evidence.Reader, error) { return s, nil }})
	require.NoError(t, err)
	return s, h
}

// Readers take turns; more than can wait are asked to come again.
func TestReadersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := holding(t, 2)
		var codes [2 * (1 + maxWaiting)]int
		var running sync.WaitGroup
		for i := range codes {
			running.Go(func() { codes[i] = get(t, h, fmt.Sprintf("/tasks?limit=%d", i+1)).Code })
		}
		synctest.Wait()
		require.EqualValues(t, 2, s.asked.Load(), "two read at a time")
		over := get(t, h, "/api/v1/tasks")
		require.Equal(t, http.StatusServiceUnavailable, over.Code)
		require.Equal(t, "1", over.Header().Get("Retry-After"))
		require.Equal(t, http.StatusOK, get(t, h, "/static/app.js").Code, "what reads no store does not wait")
		close(s.let)
		running.Wait()
		for i, code := range codes {
			require.Equal(t, http.StatusOK, code, i)
		}
		require.Equal(t, http.StatusOK, get(t, h, "/api/v1/tasks").Code)
	})
}

// Tools of agents take turns with pages, and each takes one: those of the API that it
// asks inside the process.
func TestToolsTakeTurnsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := holding(t, 1)
		var running sync.WaitGroup
		running.Go(func() { get(t, h, "/tasks") })
		synctest.Wait()
		var told [3]string
		for i := range told {
			running.Go(func() {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"limit":%d}}}`, i+1)
				r := httptest.NewRequest(http.MethodPost, mcpPath, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				told[i] = w.Body.String()
			})
		}
		synctest.Wait()
		require.EqualValues(t, 1, s.asked.Load(), "a tool waits while a page is read")
		close(s.let)
		running.Wait()
		require.EqualValues(t, 1+len(told), s.asked.Load())
		for _, answer := range told {
			require.Contains(t, answer, `"tasks":[]`)
		}
	})
}

// Nobody waits for ever, and one who leaves takes the question along.
func TestAReaderWhoLeavesEndsTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := holding(t, 1)
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		ask := func(ctx context.Context, address string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			running.Go(func() { h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, http.NoBody).WithContext(ctx)) })
			return w
		}
		ask(ctx, "/tasks")
		synctest.Wait()
		late := ask(t.Context(), "/policy")
		synctest.Wait()
		time.Sleep(maxWait)
		synctest.Wait()
		require.Equal(t, http.StatusServiceUnavailable, late.Code, "whose turn does not come is told")
		leave()
		running.Wait()
		require.EqualValues(t, 1, s.left.Load())
		slow := ask(t.Context(), "/tasks")
		running.Wait()
		require.Equal(t, http.StatusGatewayTimeout, slow.Code, "an answer has its time")
		require.EqualValues(t, 2, s.left.Load())
	})
}

// Those who look at the same list get one answer, for a moment.
func TestAListIsReadOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := holding(t, 8)
		var running sync.WaitGroup
		for range 50 {
			running.Go(func() { get(t, h, "/tasks") })
		}
		synctest.Wait()
		close(s.let)
		running.Wait()
		require.EqualValues(t, 1, s.asked.Load())
		get(t, h, "/tasks?agent=a")
		require.EqualValues(t, 2, s.asked.Load(), "another address is another list")
		time.Sleep(listedFor)
		get(t, h, "/tasks")
		require.EqualValues(t, 3, s.asked.Load(), "a list is read again after a moment")
	})
}

// Answers without a body take memory too: their number is bounded as their bytes are.
func TestManySmallAnswersAreForgotten(t *testing.T) {
	var a answers
	for i := range 2 * maxAnswers / answerAside {
		a.put(fmt.Sprintf("/tasks?since=%dh", i), &answer{status: http.StatusOK})
		require.LessOrEqual(t, len(a.kept)*answerAside, maxAnswers)
	}
	require.NotEmpty(t, a.kept)
}
