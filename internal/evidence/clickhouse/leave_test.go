package clickhouse

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"
)

// slow answers no question until its asker leaves.
type slow struct {
	nothing
	asked chan url.Values
	left  chan error
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Has("cancel_http_readonly_queries_on_client_close") {
		s.asked <- r.URL.Query()
		<-r.Context().Done()
		s.left <- r.Context().Err()
		return nil, r.Context().Err()
	}
	return s.nothing.RoundTrip(r)
}

// Who asks and leaves ends the request, and the server was asked to heed that. The
// deadline of a context is no setting, which some readers may not change.
func TestWhoLeavesEndsTheQuestion(t *testing.T) {
	server := &slow{asked: make(chan url.Values, 1), left: make(chan error, 1)}
	set := server.settings()
	set.options = func(o *driver.Options) {
		o.TransportFunc = func(*http.Transport) (http.RoundTripper, error) { return server, nil }
	}
	c, err := connect(&set)
	require.NoError(t, err)
	defer c.close()
	require.NoError(t, c.exec(t.Context(), "SELECT 1"), "connect, which has a deadline of its own")
	c.reading = leaving
	ctx, leave := context.WithTimeout(t.Context(), 1<<40)
	ended := make(chan error, 1)
	go func() {
		ended <- c.each(ctx, "SELECT 1", func(func(...any) error) error { return nil })
	}()
	settings := <-server.asked
	require.Equal(t, "1", settings.Get("cancel_http_readonly_queries_on_client_close"))
	require.False(t, settings.Has("max_execution_time"))
	leave()
	require.ErrorIs(t, <-server.left, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}
