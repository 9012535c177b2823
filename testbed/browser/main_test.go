package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/example"
)

const (
	root     = "../.."
	incident = root + "/examples/deploy-incident"
	axeFile  = "node_modules/axe-core/axe.min.js"
)

var (
	binary  string             // the program under test
	program context.Context    // the browser
	launch  func() error       // starts it
	quit    context.CancelFunc // ends it, nil if no test needed it
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run runs the tests of the package. Without Chromium or the rules of axe it fails
// where the environment variable CI is set, and says so and passes elsewhere.
func run(m *testing.M) int {
	flag.Parse()
	path, err := exec.LookPath("chromium")
	if err == nil {
		_, err = os.Stat(axeFile)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "NO TEST WAS RUN: %v; make browser installs what is missing\n", err)
		if os.Getenv("CI") != "" {
			return 1
		}
		return 0
	}
	dir, err := os.MkdirTemp("", "otelcol-agent-browser-")
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = collector.Build(context.Background(), root, dir)
	}
	if err == nil {
		err = os.RemoveAll("artifacts")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	around := []string{"HOME=" + dir}
	if *pictures != "" {
		letters, _ := filepath.Abs("fonts.conf")
		around = append(around, "FONTCONFIG_FILE="+letters)
	}
	// The browser dies with this context, and is stopped in no other way.
	allocator, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("force-color-profile", "srgb"), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Env(around...))
	defer cancel()
	launch = func() error {
		program, quit = chromedp.NewContext(allocator)
		return chromedp.Do(program)
	}
	code := m.Run()
	if quit != nil {
		quit()
	}
	return code
}

var (
	begin sync.Once
	begun error
)

// chromium is the browser that all tabs are in.
func chromium(t *testing.T) context.Context {
	t.Helper()
	begin.Do(func() { begun = launch() })
	require.NoError(t, begun)
	return program
}

// demo is a collector that was sent the example, with a store of its own.
func demo(t *testing.T) (*collector.Process, example.Example) {
	t.Helper()
	ex := incidentOf(t)
	p := start(t, ex.Args()...)
	require.NoError(t, ex.Play(t.Context(), p.Endpoint))
	return p, ex
}

func incidentOf(t *testing.T) example.Example {
	t.Helper()
	ex, err := example.Read(incident)
	require.NoError(t, err)
	return ex
}

func start(t *testing.T, args ...string) *collector.Process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := collector.Start(ctx, collector.Settings{Binary: binary, Home: t.TempDir(), Args: args})
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

// over serves the pages over a store.
func over(t *testing.T, store string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := collector.StartReview(ctx, collector.Settings{Binary: binary, Home: t.TempDir()}, store)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p.Review
}
