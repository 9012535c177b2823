// Package instance starts the ClickHouse test server as a process of its own, so
// that a test can kill it and start it again on the same data.
package instance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// root is the folder testbed/clickhouse.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

// Library is where npm puts ClickHouse.
func Library() string {
	return filepath.Join(root(), "node_modules", "@chdb", "lib-linux-x64-gnu", "libchdb.so")
}

const howTo = "the ClickHouse library is not installed; run: npm ci --prefix testbed/clickhouse"

// Main runs the tests of a package that needs the engine. Without the library
// it fails where the environment variable CI is set, and says so and passes
// elsewhere.
func Main(m *testing.M) int {
	if _, err := os.Stat(Library()); err != nil {
		fmt.Fprintln(os.Stderr, "=================================================================")
		fmt.Fprintln(os.Stderr, "NO TEST WAS RUN:", howTo)
		fmt.Fprintln(os.Stderr, "=================================================================")
		if os.Getenv("CI") != "" {
			return 1
		}
		return 0
	}
	defer cleanUp()
	return m.Run()
}

var (
	once   sync.Once
	binary string
	built  error
	folder string
)

func cleanUp() {
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
}

// build makes the server, once a test process.
func build() (string, error) {
	once.Do(func() {
		if folder, built = os.MkdirTemp("", "clickhouse-server-"); built != nil {
			return
		}
		binary = filepath.Join(folder, "clickhouse-server")
		cmd := exec.Command("go", "build", "-o", binary, "./cmd/clickhouse-server")
		cmd.Dir = root()
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built = fmt.Errorf("build the server: %w\n%s", err, out)
		}
	})
	return binary, built
}

// Users of every instance.
const (
	Writer         = "writer"
	WriterPassword = "w-secret"
	Reader         = "reader"
	ReaderPassword = "r-secret"
	Token          = "t-secret"
)

// Instance is one server on one data folder.
type Instance struct {
	Addr   string // of HTTP
	Native string // of the native protocol
	Secure string // of the native protocol over TLS
	data   string
	// cluster is the one that the server is a member of, "" for none; shard is
	// another one, if there is any.
	cluster string
	shard   *Instance
	cmd     *exec.Cmd
	done    chan error
}

// Folder is where the server keeps its data; it goes with the test.
func (i *Instance) Folder() string { return i.data }

// Start starts a server that ends with the test.
func Start(tb testing.TB) *Instance {
	tb.Helper()
	return StartInCluster(tb, "", nil)
}

// StartInCluster starts a server that is a member of a cluster: the only one, or
// beside another shard.
func StartInCluster(tb testing.TB, cluster string, shard *Instance) *Instance {
	tb.Helper()
	i := &Instance{cluster: cluster, shard: shard, data: tb.TempDir(), Addr: "127.0.0.1:0", Native: "127.0.0.1:0", Secure: "127.0.0.1:0"}
	tb.Cleanup(i.Kill)
	i.Restart(tb)
	return i
}

// Restart starts the server again, on the same address and data.
func (i *Instance) Restart(tb testing.TB) {
	tb.Helper()
	if err := i.start(); err != nil {
		tb.Fatal(err)
	}
}

func (i *Instance) start() error {
	program, err := build()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "-listen", i.Addr, "-native", i.Native, "-secure", i.Secure, "-data", i.data,
		"-user", Writer+":"+WriterPassword+":"+Token, "-reader", Reader+":"+ReaderPassword)
	cmd.Env = append(os.Environ(), "CHDB_LIB_PATH="+Library())
	if i.cluster != "" {
		cmd.Args = append(cmd.Args, "-cluster", i.cluster)
	}
	if i.shard != nil {
		_, port, _ := strings.Cut(i.shard.Native, ":")
		cmd.Args = append(cmd.Args, "-shard", Writer+":"+WriterPassword+"@"+port)
	}
	if testing.Verbose() {
		cmd.Args = append(cmd.Args, "-v")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if list, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			addrs := strings.Fields(list)
			i.Addr, i.Native, i.Secure, i.cmd, i.done = addrs[0], addrs[1], addrs[2], cmd, done
			go func() {
				for lines.Scan() {
				}
				done <- cmd.Wait()
			}()
			return i.answers()
		}
	}
	return errors.Join(errors.New("the server ended before it listened"), cmd.Wait())
}

func (i *Instance) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.Addr+"/ping", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Kill ends the server as a power cut would, as far as processes go.
func (i *Instance) Kill() {
	if i.cmd == nil {
		return
	}
	_ = i.cmd.Process.Kill()
	<-i.done
	i.cmd = nil
}

// ProcessorTime is what the server has used so far, on Linux.
func (i *Instance) ProcessorTime(tb testing.TB) time.Duration {
	tb.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", i.cmd.Process.Pid))
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks time.Duration
	for _, f := range fields[11:13] { // of itself and of the kernel, in hundredths of a second
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

// NativeDSN is DSN for the native protocol.
func (i *Instance) NativeDSN(database string) string {
	return fmt.Sprintf("clickhouse://%s:%s@%s/%s", Writer, WriterPassword, i.Native, database)
}

// Certificate is the PEM file of what the server shows over TLS.
func (i *Instance) Certificate() string { return filepath.Join(i.data, "server.pem") }

// DSN names a database of this server for its writing user.
func (i *Instance) DSN(database string) string {
	return fmt.Sprintf("http://%s:%s@%s/%s", Writer, WriterPassword, i.Addr, database)
}
