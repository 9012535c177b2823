package retryauth

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	_ extensionmiddleware.HTTPClient = retryAuth{}
	_ extensionmiddleware.GRPCClient = retryAuth{}
)

type retryAuth struct {
	component.StartFunc
	component.ShutdownFunc
}

// advice ends the error that an exporter logs when it retries.
const advice = "the credentials are not accepted; they are sent again with the data until they are"

// GetHTTPRoundTripper wraps the transport of an exporter for HTTP.
func (retryAuth) GetHTTPRoundTripper(context.Context) (extensionmiddleware.WrapHTTPRoundTripperFunc, error) {
	return func(_ context.Context, next http.RoundTripper) (http.RoundTripper, error) {
		return roundTripper{next}, nil
	}, nil
}

type roundTripper struct{ next http.RoundTripper }

// RoundTrip makes an error of a refusal: exporters retry what had no answer.
func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		_ = resp.Body.Close()
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, advice)
	}
	return resp, nil
}

// GetGRPCClientOptions adds an interceptor to the connection of an exporter for gRPC.
func (retryAuth) GetGRPCClientOptions(context.Context) ([]grpc.DialOption, error) {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(intercept)}, nil
}

// intercept gives a refusal a code that exporters retry.
func intercept(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	switch code := status.Code(err); code {
	case codes.Unauthenticated, codes.PermissionDenied:
		return status.Errorf(codes.Unavailable, "status %s: %s", code, advice)
	}
	return err
}
