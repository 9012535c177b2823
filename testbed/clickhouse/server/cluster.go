package server

import (
	"context"
	"fmt"
	"regexp"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/engine"
)

// ClusterOfOne is an engine that is the only member of a cluster, or the only one
// that clients talk to: its Distributed tables are the engine's own. What needs ClickHouse Keeper,
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

// Shard is another member of the cluster, which takes no part in statements for it.
type Shard struct {
	Port           int
	User, Password string
}

// ClusterConfig is the engine's configuration for that: of a cluster whose first
// member listens on a port of this machine.
func ClusterConfig(name string, port int, more ...Shard) string {
	const shard = "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>%d</port>%s</replica></shard>"
	shards := fmt.Sprintf(shard, port, "")
	for _, s := range more {
		shards += fmt.Sprintf(shard, s.Port, "<user>"+s.User+"</user><password>"+s.Password+"</password>")
	}
	return fmt.Sprintf(`<clickhouse>
  <tcp_port>%[2]d</tcp_port>
  <remote_servers><%[1]s>%[3]s</%[1]s></remote_servers>
  <macros><shard>1</shard><replica>1</replica></macros>
</clickhouse>
`, name, port, shards)
}
