package collector

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Settings says how to run the binary.
type Settings struct {
	Binary string
	Home   string   // must exist
	Preset string   // agent if empty
	Env    []string // added to an environment that holds nothing of the caller's
	Args   []string // of the collector, after those that choose ports
}

// Process is a running collector.
type Process struct {
	Endpoint string // OTLP/HTTP address
	GRPC     string // OTLP/gRPC address
	Review   string // URL of the review pages

	cmd    *exec.Cmd
	mu     sync.Mutex
	stderr strings.Builder
	done   chan struct{} // closed when the process has ended and stderr is read
	err    error
}

// environment is what a fresh user's shell would have.
func environment(set Settings) []string {
	env := []string{
		"HOME=" + set.Home,
		"XDG_DATA_HOME=" + filepath.Join(set.Home, "data"),
		"XDG_CONFIG_HOME=" + filepath.Join(set.Home, "config"),
		"TMPDIR=" + set.Home,
		"PATH=" + os.Getenv("PATH"),
	}
	return append(env, set.Env...)
}

// Start runs the binary on free ports and returns when it is ready. A port that
// another program took in between is tried again with another one.
func Start(ctx context.Context, set Settings) (*Process, error) {
	for try := 1; ; try++ {
		p, err := start(ctx, set)
		if err == nil || try == 5 || !strings.Contains(err.Error(), "address already in use") {
			return p, err
		}
	}
}

func start(ctx context.Context, set Settings) (*Process, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	p := &Process{Endpoint: "http://" + ports[0], GRPC: ports[1], Review: "http://" + ports[2], done: make(chan struct{})}
	args := []string{
		"--config=preset:" + cmp.Or(set.Preset, "agent"),
		"--config=yaml:receivers::lenientotlp::endpoint: " + ports[0],
		"--config=yaml:receivers::otlp::protocols::grpc::endpoint: " + ports[1],
		"--config=yaml:extensions::review::endpoint: " + ports[2],
	}
	return p, p.begin(ctx, set, append(args, set.Args...), " is ready.\n")
}

// StartReview serves the review pages over a store, without a collector: of the
// process's addresses it has Review alone.
func StartReview(ctx context.Context, set Settings, store string) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	const says = "review is at "
	if err := p.begin(ctx, set, []string{"review", "--store", store, "--listen", "127.0.0.1:0"}, "\n"); err != nil {
		return nil, err
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(p.Stderr()), says)
	if !ok {
		p.Kill()
		return nil, fmt.Errorf("the first line must begin with %q:\n%s", says, p.Stderr())
	}
	p.Review = address
	return p, nil
}

// begin starts the binary and returns when a line with this end has come on
// standard error.
func (p *Process) begin(ctx context.Context, set Settings, args []string, end string) error {
	p.cmd = exec.Command(set.Binary, args...)
	p.cmd.Env = environment(set)
	p.cmd.Dir = set.Home
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	ready := make(chan struct{})
	go p.follow(pipe, end, ready)
	select {
	case <-ready:
		return nil
	case <-p.done:
		return fmt.Errorf("the program ended before it was ready: %w\n%s", errors.Join(p.err), p.Stderr())
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("%w\n%s", ctx.Err(), p.Stderr())
	}
}

// follow keeps standard error and tells when the line with this end has come.
func (p *Process) follow(pipe io.Reader, end string, ready chan<- struct{}) {
	lines := bufio.NewReader(pipe)
	told := false
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		p.stderr.WriteString(line)
		p.mu.Unlock()
		if !told && strings.HasSuffix(line, end) {
			told = true
			close(ready)
		}
		if err != nil {
			break
		}
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stderr returns what the collector has said so far.
func (p *Process) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// Stop asks the collector to end with SIGTERM and waits. It returns an error if
// the exit code is not 0 or it takes longer than a minute.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

// Interrupt is Stop with SIGINT, what Ctrl-C sends.
func (p *Process) Interrupt() error { return p.end(syscall.SIGINT) }

func (p *Process) end(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		if p.err != nil {
			return fmt.Errorf("%w\n%s", p.err, p.Stderr())
		}
		return nil
	case <-time.After(time.Minute):
		p.Kill()
		return fmt.Errorf("the collector did not end within a minute of %v\n%s", sig, p.Stderr())
	}
}

// Kill ends the process at once, as a crash would, and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// freePorts returns n loopback addresses that nothing listens on now.
func freePorts(n int) ([]string, error) {
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out, nil
}

// Result is what a command that has ended left.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the binary with arguments until it ends.
func Run(ctx context.Context, set Settings, args ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, set.Binary, args...)
	cmd.Env = environment(set)
	cmd.Dir = set.Home
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}, err
}

// ProcessorTime is what the operating system counted for the process, user and
// system, over its whole life; 0 before its end.
func (p *Process) ProcessorTime() time.Duration {
	state := p.cmd.ProcessState
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}
