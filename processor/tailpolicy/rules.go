package tailpolicy

import (
	"context"
	"errors"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

type condition = ottl.Condition[*ottlspan.TransformContext]

// impure are functions whose answer changes between two looks at one span; with
// them a decision could not be replayed.
var impure = []string{"Now", "UUID", "UUIDv7"}

// compile reads an OTTL condition whose paths start with span., scope. or resource.
func compile(text string) (*condition, error) {
	if text == "" {
		return nil, errors.New("found none")
	}
	funcs := ottlfuncs.StandardConverters[*ottlspan.TransformContext]()
	for _, name := range impure {
		delete(funcs, name)
	}
	set := component.TelemetrySettings{Logger: zap.NewNop()}
	parser, err := ottlspan.NewParser(funcs, set, ottlspan.EnablePathContextNames())
	if err != nil {
		return nil, err
	}
	return parser.ParseCondition(text)
}

// Policy compiles what a valid configuration says. failed is told the name of a
// rule whose condition could not be evaluated on a span.
func (c *Config) Policy(failed func(rule string)) (tail.Policy, error) {
	p := tail.Policy{Unprotected: map[string]bool{}, AtLeast: map[string]int{}, Ratio: c.Baseline.Ratio,
		FoldAbove: c.Fold.Above, RunBytes: c.Truncate.AboveMiB << 20}
	for class, set := range c.Protect {
		p.Unprotected[class] = set.off()
		p.AtLeast[class] = set.atLeast()
	}
	if c.Slow.on() {
		p.Slow = tail.NewSlow(tail.SlowSettings{Percentile: c.Slow.Percentile, MinCount: c.Slow.MinCount, MaxKinds: c.Slow.MaxKinds})
	}
	if c.Quotas.on() {
		p.TenantKey = c.Quotas.TenantKey
		p.Quotas = tail.NewQuotas(c.Quotas.settings())
	}
	for _, r := range c.Rules {
		cond, err := compile(r.Condition)
		if err != nil {
			return tail.Policy{}, err
		}
		p.Rules = append(p.Rules, tail.Rule{Name: r.Name, Keep: *r.Keep, Match: match(cond, func() { failed(r.Name) })})
	}
	return p, nil
}

// maxTenants are measured at one time, at about 300 bytes each.
const maxTenants = 10_000

func (c *QuotasConfig) settings() tail.QuotaSettings {
	set := tail.QuotaSettings{Each: tail.Quota{Spans: c.SpansPerSecond, Bytes: c.BytesPerSecond}, MaxTenants: maxTenants, Tenants: map[string]tail.Quota{}}
	for name, q := range c.Tenants {
		set.Tenants[name] = tail.Quota{Spans: q.SpansPerSecond, Bytes: q.BytesPerSecond}
	}
	return set
}

func match(cond *condition, failed func()) func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool {
	return func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool {
		of := ottlspan.NewTransformContext(rs, ss, span)
		defer of.Close()
		ok, err := cond.Eval(context.Background(), of)
		if err != nil {
			failed()
			return false
		}
		return ok
	}
}
