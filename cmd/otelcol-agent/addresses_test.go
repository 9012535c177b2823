package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func TestATakenPortNamesItsSetting(t *testing.T) {
	endpoint := func(address string) map[string]any { return map[string]any{"endpoint": address} }
	var a addresses
	require.NoError(t, a.Convert(context.Background(), confmap.NewFromStringMap(map[string]any{
		"receivers": map[string]any{"otlp": map[string]any{"protocols": map[string]any{
			"grpc": endpoint("0.0.0.0:4317"), "http": endpoint("localhost:4318"),
		}}},
		"exporters": map[string]any{"prometheus": endpoint("127.0.0.1:60000")},
		"service": map[string]any{"telemetry": map[string]any{"metrics": map[string]any{"readers": []any{
			map[string]any{"pull": map[string]any{"exporter": map[string]any{"prometheus": map[string]any{"host": "127.0.0.1", "port": 8888}}}},
		}}}},
	})))
	taken := func(port int) error {
		return fmt.Errorf("start: %w", &net.OpError{Op: "listen", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port},
			Err: os.NewSyscallError("bind", syscall.EADDRINUSE)})
	}
	for port, want := range map[int]string{
		4317:  "an address of its own: --set=receivers::otlp::protocols::grpc::endpoint=127.0.0.1:14317",
		4318:  "an address of its own: --set=receivers::otlp::protocols::http::endpoint=127.0.0.1:14318",
		60000: "an address of its own: --set=exporters::prometheus::endpoint=127.0.0.1:50000",
		8888:  "an address of its own in service::telemetry::metrics::readers, or have no metrics",
		9999:  "an address of its own",
	} {
		err := a.advise(taken(port))
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, syscall.EADDRINUSE)
	}
	require.NotContains(t, a.advise(taken(9999)).Error(), "--set")
	other := errors.New("other")
	require.Equal(t, other, a.advise(other))
	require.NoError(t, a.advise(nil))
}
