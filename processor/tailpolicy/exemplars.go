package tailpolicy

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// maxSeries is how many series have exemplars here at one time.
const maxSeries = 2000

// exemplars is the processor in a metrics pipeline: metrics pass at once, and their
// exemplars when the traces pipeline with the same component id has kept the run.
// Without such a pipeline it does nothing.
type exemplars struct {
	component.StartFunc
	component.ShutdownFunc
	group *group
	next  consumer.Metrics

	mu   sync.Mutex
	held *tail.Exemplars
}

func newExemplars(g *group, cfg *Config, next consumer.Metrics) *exemplars {
	set := tail.ExemplarSettings{MaxSeries: maxSeries, Patience: cfg.MaxWait + cfg.DecisionWait}
	return &exemplars{group: g, next: next, held: tail.NewExemplars(set)}
}

// Capabilities: exemplars are taken out and put in.
func (*exemplars) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// ConsumeMetrics passes a batch on.
func (e *exemplars) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	if runs := e.group.runs; runs != nil {
		runs.meter.exemplarsRemoved(ctx, e.apply(md, runs.fate))
	}
	return e.next.ConsumeMetrics(ctx, md)
}

func (e *exemplars) apply(md pmetric.Metrics, fate func(string, evidence.TraceID) tail.Fate) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.held.Apply(md, fate, time.Now())
}

// fate is what has become of the run of a trace.
func (p *tailProcessor) fate(tenant string, trace evidence.TraceID) tail.Fate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Fate(tenant, trace)
}
