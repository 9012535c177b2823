package load

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// Collector is one that runs on one core.
type Collector struct {
	Endpoint string // of OTLP/HTTP
	PID      int

	wait func() error
}

// Start runs a collector until ctx ends, and returns when it takes requests at the
// address that its configuration is made with.
func Start(ctx context.Context, binary string, config func(address string) string) (*Collector, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "--config=yaml:"+config(address)) // #nosec G204 -- binaries that the caller names
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Collector{"http://" + address, cmd.Process.Pid, cmd.Wait}
	for range 200 {
		if err = Post(ctx, http.DefaultClient, c.Endpoint, nil); err == nil {
			return c, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return c, err
}

// Wait returns when the collector has ended, as it does when its context has.
func (c *Collector) Wait() {
	if c != nil {
		_ = c.wait() // it was killed
	}
}
