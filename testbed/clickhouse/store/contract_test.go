package store

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func TestContract(t *testing.T) {
	t.Parallel()
	p := &pool{server: instance.Start(t)}
	storetest.Run(t, func(t *testing.T) storetest.Store { return p.lend(t) })
}

// contractPart is the part of the contract that is taken again over other ways to
// the same engine.
var contractPart = []string{
	"what was written comes back exactly",
	"a batch written again changes nothing",
	"a span that grows is one span",
	"tenants never meet",
	"records join by trace, else by task",
	"a run is found by any of its ids",
	"recent runs come newest first",
	"runs are searched by what their rows state",
	"pruning takes what is too old and nothing else",
	"a subject is erased and nothing else",
	"one bad row is set aside and the rest is stored",
	"writers and readers at the same time",
	"a closed store and an ended context refuse",
}
