package server

import (
	"context"
	"fmt"
	"regexp"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/engine"
)

// ClusterOfOne is an engine that is the only member of a cluster: its Distributed
// tables are the engine's own, and reach it alone. What needs ClickHouse Keeper,
// which the library has not, is done without: statements for the cluster are run
// here, and tables are not replicated.
type ClusterOfOne struct{ Engine }

var (
	onCluster  = regexp.MustCompile(" ON CLUSTER `?[A-Za-z0-9_]+`?")
	replicated = regexp.MustCompile(`\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?`)
	window     = regexp.MustCompile(`\breplicated_deduplication_window = (\d+), replicated_deduplication_window_seconds = \d+`)
	definition = regexp.MustCompile(`^\s*(CREATE|ALTER|DELETE|DROP)\b`)
)

// Run runs a statement for the cluster.
func (c ClusterOfOne) Run(ctx context.Context, s engine.Statement) ([]byte, error) {
	if definition.MatchString(s.Query) {
		s.Query = onCluster.ReplaceAllString(s.Query, "")
		s.Query = replicated.ReplaceAllString(s.Query, "$1(")
		s.Query = window.ReplaceAllString(s.Query, "non_replicated_deduplication_window = $1")
	}
	return c.Engine.Run(ctx, s)
}

// ClusterConfig is the engine's configuration for that: of a cluster whose only
// member listens on a port of this machine.
func ClusterConfig(name string, port int) string {
	return fmt.Sprintf(`<clickhouse>
  <tcp_port>%[2]d</tcp_port>
  <remote_servers><%[1]s><shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>%[2]d</port></replica></shard></%[1]s></remote_servers>
  <macros><shard>1</shard><replica>1</replica></macros>
</clickhouse>
`, name, port)
}
