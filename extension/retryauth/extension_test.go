package retryauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestRefusalOfHTTPIsRetried(t *testing.T) {
	wrap, err := retryAuth{}.GetHTTPRoundTripper(t.Context())
	require.NoError(t, err)
	transport, err := wrap(t.Context(), http.DefaultTransport)
	require.NoError(t, err)
	for code, retried := range map[int]bool{200: false, 400: false, 401: true, 403: true, 404: false, 503: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte("what the server says"))
		}))
		resp, err := (&http.Client{Transport: transport}).Post(server.URL, "text/plain", nil)
		if retried {
			require.ErrorContains(t, err, "the credentials are not accepted", code)
			require.NotContains(t, err.Error(), "what the server says")
		} else {
			require.NoError(t, err, code)
			require.Equal(t, code, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
		}
		server.Close()
	}
}

func TestRefusalOfGRPCIsRetried(t *testing.T) {
	options, err := retryAuth{}.GetGRPCClientOptions(t.Context())
	require.NoError(t, err)
	require.Len(t, options, 1)
	for code, want := range map[codes.Code]codes.Code{
		codes.OK:               codes.OK,
		codes.InvalidArgument:  codes.InvalidArgument,
		codes.Unauthenticated:  codes.Unavailable,
		codes.PermissionDenied: codes.Unavailable,
	} {
		err := intercept(t.Context(), "m", nil, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
			return status.Error(code, "x")
		})
		require.Equal(t, want, status.Code(err), code)
	}
}
