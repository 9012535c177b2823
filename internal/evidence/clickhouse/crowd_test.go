package clickhouse

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Callers that came together once go together the next time; one who comes alone
// after that waits once, and then no more.
func TestCallersGoTogether(t *testing.T) {
	var inserts atomic.Int64
	n := &nothing{}
	n.fail = func(query string) *http.Response {
		if strings.Contains(query, "`spans`") && strings.HasPrefix(query, "INSERT") {
			inserts.Add(1)
		}
		return nil
	}
	w, err := Open(context.Background(), n.settings())
	require.NoError(t, err)
	defer func() { _ = w.Close() }()
	w.patience = 30 * time.Second
	together := func(callers int) int64 {
		before := inserts.Load()
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				_, err := w.Write(context.Background(), agentSpans(i, 3))
				require.NoError(t, err)
			})
		}
		wg.Wait()
		return inserts.Load() - before
	}
	w.crowd.come() // as a caller who makes a batch and has not sent it
	w.crowd.come()
	w.crowd.come()
	w.crowd.leave()
	w.crowd.leave()
	w.crowd.leave()
	require.EqualValues(t, 1, together(3), "three were here before")
	require.EqualValues(t, 1, together(3))
	w.patience = 50 * time.Millisecond
	began := time.Now()
	together(1)
	require.GreaterOrEqual(t, time.Since(began), w.patience, "the others were waited for")
	w.patience = time.Hour
	together(1)
}
