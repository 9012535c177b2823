package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const sent = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"coder"}}]},"scopeSpans":[{"spans":[
{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"invoke_agent coder","startTimeUnixNano":"%[1]d","endTimeUnixNano":"%[1]d",
"attributes":[{"key":"app.task.id","value":{"stringValue":"t-1"}},{"key":"gen_ai.agent.name","value":{"stringValue":"coder"}},
{"key":"app.authority.subject","value":{"stringValue":"hmac:0af7651916cd43dd8448eb211c80319c"}}]}]}]}]}`

// The binary stores in ClickHouse what it is sent, and its commands read it.
func TestCollectorAndCommands(t *testing.T) {
	binary := os.Getenv("OTELCOL_AGENT_BIN")
	if binary == "" {
		t.Skip("OTELCOL_AGENT_BIN names no binary; make clickhouse builds one")
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // where the key of this machine is made
	server := instance.Start(t)
	d := fresh(server)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	otlp := free.Addr().String()
	_ = free.Close()
	config := filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf(`
receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters:
  evidencestore:
    dsn: "http://%s/%s"
    clickhouse: {username: %s, password: %s}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [evidencestore]}}
`, otlp, server.Addr, d.name, instance.Writer, instance.WriterPassword)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	collector := exec.Command(binary, "--config", config)
	collector.Stderr = &said
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Wait() }()
	t.Cleanup(func() {
		_ = collector.Process.Signal(syscall.SIGTERM)
		<-ended
		if strings.Contains(said.String(), instance.WriterPassword) {
			t.Error("the collector's log holds the password")
		}
	})
	body := fmt.Sprintf(sent, time.Now().UnixNano())
	deadline := time.Now().Add(30 * time.Second)
	for {
		res, err := http.Post("http://"+otlp+"/v1/traces", "application/json", strings.NewReader(body))
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing was taken: %v\n%s", err, said.String())
		}
		time.Sleep(100 * time.Millisecond)
	}
	run := func(args ...string) []byte {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, binary, append(args, "--store", d.server.DSN(d.name), "--format", "json")...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	if out := run("tasks"); !bytes.Contains(out, []byte(`"t-1"`)) {
		t.Errorf("tasks: %s", out)
	}
	var report struct {
		TaskID string   `json:"task_id"`
		Traces []string `json:"traces"`
	}
	if err := json.Unmarshal(run("task", "t-1"), &report); err != nil || report.TaskID != "t-1" || len(report.Traces) != 1 {
		t.Errorf("task: %+v, %v", report, err)
	}
	look(t, binary, d, run)
}

// otherKey is a key that has signed nothing here.
func otherKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if _, err := ledger.LoadKey(path, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return path
}

// look takes the commands that look after a store to this one.
func look(t *testing.T, binary string, d *database, run func(args ...string) []byte) {
	t.Helper()
	says := func(out []byte, text string) {
		t.Helper()
		if !bytes.Contains(out, []byte(text)) {
			t.Errorf("%s\nwant %s", out, text)
		}
	}
	refused := func(text string, args ...string) {
		t.Helper()
		out, err := exec.Command(binary, append(args, "--store", d.server.DSN(d.name))...).CombinedOutput()
		if err == nil {
			t.Errorf("%v: taken", args)
		}
		says(out, text)
		if bytes.Contains(out, []byte(instance.WriterPassword)) {
			t.Errorf("%v: the password is in %s", args, out)
		}
	}
	says(run("store", "migrate"), `"steps": []`)
	says(run("store", "check"), "[]")
	says(run("store", "stats"), `"spans": 1`)
	says(run("store", "prune", "--evidence", "1d", "--records", "1d"), `"rows": 0`)
	saved := filepath.Join(t.TempDir(), "checkpoint")
	says(run("verify", "--save", saved), `"present": 1,`)
	says(run("verify", "--since", saved), `"since": 2,`)
	refused("has signed nothing in this store", "store", "prune", "--evidence", "1d", "--key-file", otherKey(t))
	says(run("store", "prune", "--evidence", "1d", "--dry-run"), `"rows": 0`)
	subject := "hmac:0af7651916cd43dd8448eb211c80319c"
	says(run("store", "erase", "--subject", subject, "--dry-run"), `"spans": 1`)
	says(run("store", "erase", "--subject", subject), `"spans": 1`)
	says(run("store", "stats"), `"spans": 0`)
	says(run("verify", "--since", saved, "--entries"), `"what": "erasure",`)
	elsewhere := fresh(d.server)
	other := func(args ...string) ([]byte, error) {
		return exec.Command(binary, append(args, "--store", d.server.DSN(elsewhere.name))...).CombinedOutput()
	}
	if out, err := other("store", "stats"); err == nil || !bytes.Contains(out, []byte("no evidence store at")) {
		t.Errorf("a store that is not there: %s, %v", out, err)
	}
	out, err := other("store", "migrate", "--dry-run")
	if err != nil {
		t.Errorf("%s, %v", out, err)
	}
	says(out, "schema 0 would become")
	says(out, "CREATE TABLE IF NOT EXISTS")
	if out, err := other("store", "check"); err == nil {
		t.Errorf("a dry run made %s", out)
	}
	if out, err := other("store", "migrate"); err != nil {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := other("store", "check"); err != nil || string(out) != "nothing is damaged\n" {
		t.Errorf("%s, %v", out, err)
	}
	if err := d.conn(t).Exec(context.Background(), "DROP TABLE "+elsewhere.name+".verdicts"); err != nil {
		t.Fatal(err)
	}
	if out, err := other("store", "check"); err == nil || !bytes.Contains(out, []byte("table verdicts is missing")) {
		t.Errorf("%s, %v", out, err)
	}
}
