package e2e

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// refused starts the collector, which must not start, and returns what it said.
func (m *machine) refused(args ...string) string {
	m.Helper()
	out := m.try(args...)
	require.Equal(m, 1, out.Code, out.Stderr)
	require.Empty(m, out.Stdout)
	require.NotContains(m, out.Stderr, "Usage:")
	require.NotContains(m, out.Stderr, "is ready")
	return out.Stderr
}

func TestMalformedConfigIsRefusedWithEveryProblem(t *testing.T) {
	m := newMachine(t)
	overlay := filepath.Join(m.set.Home, "overlay.yaml")
	require.NoError(t, os.WriteFile(overlay, []byte(`
extensions:
  welcome:
    receiver: filelog
processors:
  memory_limiter:
    limit_mib: 0
    check_interval: 0s
`), 0o600))
	said := m.refused("--config=preset:agent", "--config=file:"+overlay)
	for _, want := range []string{
		"extensions::welcome", "receiver must be of type otlp, found filelog",
		"processors::memory_limiter",
	} {
		require.Contains(t, said, want)
	}
	require.NoFileExists(t, m.store(), "nothing was touched")

	// Keys that do not exist and values that cannot be read, in several components.
	require.NoError(t, os.WriteFile(overlay, []byte(`
receivers:
  carrier_pigeon:
processors:
  genaimapper:
    no_such_key: 1
  redactor:
    content: burn
exporters:
  evidencestore:
    timeout: banana
    retention: {evidence: -1h}
`), 0o600))
	said = m.refused("--config=preset:agent", "--config=file:"+overlay)
	for _, want := range []string{"receivers::carrier_pigeon", "processors::genaimapper", "no_such_key", "processors::redactor", "content", "exporters::evidencestore", "timeout"} {
		require.Contains(t, said, want)
	}

	said = m.refused("--config=preset:agent", "--config=yaml:processors::redactor::no_such_key: 1")
	require.Contains(t, said, "no_such_key")
	said = m.refused("--config=preset:agnet")
	require.Contains(t, said, `preset "agnet" is not known; known are agent, gateway`)
	require.Equal(t, 1, strings.Count(said, "agnet"), "told once")
}

func TestWrongUsageIsExitCode2(t *testing.T) {
	m := newMachine(t)
	for _, args := range [][]string{{"taks"}, {"--nope"}, {"task"}, {"tasks", "--since=soon"}} {
		out := m.try(args...)
		require.Equal(t, 2, out.Code, args)
		require.Equal(t, 1, strings.Count(out.Stderr, "\n"), "one line: %s", out.Stderr)
	}
}

func TestGatewayDoesNotStartAsAnOpenDoor(t *testing.T) {
	m := newMachine(t)
	said := m.refused("--config=preset:gateway")
	require.Contains(t, said, "OTELCOL_AGENT_TLS_CERT")
	require.Contains(t, said, "OTELCOL_AGENT_TLS_KEY")
	require.Contains(t, said, "OTELCOL_AGENT_TOKEN_FILE")
}

func TestPortInUseIsSaid(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	const review = "--config=yaml:extensions::review::endpoint: 127.0.0.1:0"
	said := newMachine(t).refused("--config=preset:agent", review,
		"--config=yaml:receivers::lenientotlp::endpoint: "+strings.TrimPrefix(p.Endpoint, "http://"),
		"--config=yaml:receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:0")
	require.Contains(t, said, strings.TrimPrefix(p.Endpoint, "http://"))
	require.Equal(t, 1, strings.Count(said, "address already in use"), "told once: %s", said)
	require.Contains(t, said, "another program listens there")
	require.Contains(t, said, "--set=receivers::lenientotlp::endpoint=")

	said = newMachine(t).refused("--config=preset:agent", review,
		"--config=yaml:receivers::lenientotlp::endpoint: 127.0.0.1:0",
		"--config=yaml:receivers::otlp::protocols::grpc::endpoint: "+p.GRPC)
	require.Contains(t, said, "--set=receivers::otlp::protocols::grpc::endpoint=")

	said = newMachine(t).refused("--config=preset:agent", "--config=yaml:extensions::review::endpoint: "+strings.TrimPrefix(p.Review, "http://"),
		"--config=yaml:receivers: {lenientotlp: {endpoint: 127.0.0.1:0}, otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}}")
	require.Contains(t, said, "--set=extensions::review::endpoint=")

	_, port, _ := strings.Cut(p.GRPC, ":")
	said = newMachine(t).refused("--config=preset:agent", review,
		"--config=yaml:receivers: {lenientotlp: {endpoint: 127.0.0.1:0}, otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}}",
		"--config=yaml:service::telemetry::metrics: {level: normal, readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: "+port+"}}}}]}")
	require.Contains(t, said, "service::telemetry::metrics::readers")
	require.Equal(t, 1, strings.Count(said, "\n"), "told once, without a stack trace: %s", said)
}

// stored makes a store with one trace in it and returns the bytes of its file.
func stored(m *machine) []byte {
	m.Helper()
	p := m.start()
	m.send(p, trace(0))
	require.NoError(m, p.Stop())
	b, err := os.ReadFile(m.store())
	require.NoError(m, err)
	return b
}

func TestUnusableStoreIsRefusedAndLeftAsItIs(t *testing.T) {
	onePort := []string{
		"--config=preset:agent",
		"--config=yaml:receivers::lenientotlp::endpoint: 127.0.0.1:0",
		"--config=yaml:receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:0",
	}
	t.Run("of a newer schema", func(t *testing.T) {
		m := newMachine(t)
		stored(m)
		db, err := sql.Open("sqlite", m.store())
		require.NoError(t, err)
		_, err = db.Exec(`INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, '9999_from_the_future.sql', 'x')`)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		before, err := os.ReadFile(m.store())
		require.NoError(t, err)

		said := m.refused(onePort...)
		require.Contains(t, said, m.store())
		require.Contains(t, said, "has schema 9999")
		require.Contains(t, said, "upgrade otelcol-agent")
		said = m.refused("tasks")
		require.Contains(t, said, m.store())
		after, err := os.ReadFile(m.store())
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
	t.Run("of another program", func(t *testing.T) {
		m := newMachine(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(m.store()), 0o700))
		before := []byte(strings.Repeat("This is a diary. ", 100))
		require.NoError(t, os.WriteFile(m.store(), before, 0o600))
		require.Contains(t, m.refused(onePort...), m.store())
		require.Contains(t, m.refused("tasks"), m.store())
		after, err := os.ReadFile(m.store())
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
	t.Run("that cannot be written", func(t *testing.T) {
		m := newMachine(t)
		place := filepath.Join(m.set.Home, "a-file", "evidence.db") // its folder is a file: no user can write it
		require.NoError(t, os.WriteFile(filepath.Join(m.set.Home, "a-file"), nil, 0o600))
		m.set.Env = []string{"OTELCOL_AGENT_STORE=" + place}
		said := m.refused(onePort...)
		require.Contains(t, said, place)
		require.Equal(t, 1, strings.Count(said, "cannot be written"), "told once: %s", said)
	})
	t.Run("that is not there yet, when asked", func(t *testing.T) {
		m := newMachine(t)
		said := m.refused("tasks")
		require.Contains(t, said, m.store())
		require.NoFileExists(t, m.store(), "a look makes no store")
	})
}

func TestStoreOfTheEnvironmentServesCollectorAndCommands(t *testing.T) {
	m := newMachine(t)
	place := filepath.Join(m.set.Home, "elsewhere", "my evidence.db")
	m.set.Env = []string{"OTELCOL_AGENT_STORE=" + place}
	p := m.start()
	m.send(p, trace(3))
	require.Len(t, m.tasks(), 1)
	require.FileExists(t, place)
	require.Contains(t, p.Stderr(), "tasks --store '"+place+"'", "another terminal is told where to look")
	require.NoError(t, p.Stop())
	require.NoFileExists(t, m.store())

	other := newMachine(t)
	rows := other.tasks("--store", place)
	require.Len(t, rows, 1)
	require.Equal(t, "t-3", rows[0].ID)
}

func TestAbsentTaskIsExitCode1WithAHint(t *testing.T) {
	m := newMachine(t)
	stored(m)
	out := m.try("task", "t-99")
	require.Equal(t, 1, out.Code)
	require.Empty(t, out.Stdout)
	require.Contains(t, out.Stderr, "otelcol-agent tasks")
	require.Equal(t, 1, strings.Count(out.Stderr, "\n"))
}

func TestTwoCollectorsOnOneMachine(t *testing.T) {
	a, b := newMachine(t), newMachine(t)
	one, two := a.start(), b.start()
	a.send(one, trace(1))
	b.send(two, trace(2))
	require.Equal(t, "t-1", a.tasks()[0].ID)
	require.Equal(t, "t-2", b.tasks()[0].ID)
}
