package store

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func TestContract(t *testing.T) {
	server := instance.Start(t)
	storetest.Run(t, func(*testing.T) storetest.Store { return fresh(server) })
}
