package tail

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Policy says which runs are kept.
type Policy struct {
	Unprotected map[string]bool // classes that do not protect; never one of AlwaysProtected
	AtLeast     map[string]int  // hits of one rule of a class from which it protects; 1 for classes that are not named
	Rules       []Rule          // the first that matches any span of an unprotected run decides it
	Ratio       float64         // share of all other runs that is kept, 0 to 1
	Slow        Timer           // keeps runs that took long; nil for none
	Quotas      Meter           // lowers shares of tenants; nil for none
	TenantKey   string          // resource attribute that names who pays; tenant.id if empty
	FoldAbove   int             // leaf spans of one name under one parent that stand as they are; 0 for all
	RunBytes    int64           // size from which a kept run loses content; 0 for none
}

// Timer is a *Slow, or one that several states share.
type Timer interface {
	Slower([]Part) bool
	Limit(kind uint64) (nanos int64, known bool)
	Observe([]Part)
}

// Meter is a *Quotas, or one that several states share.
type Meter interface {
	Left(tenant string, now time.Time) float64
	Note(tenant string, spans int, bytes int64, wanted float64, kept bool, now time.Time)
}

// Rule keeps a share of the runs that it matches.
type Rule struct {
	Name  string
	Keep  float64 // 0 to 1
	Match func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool
}

// RuleBaseline is the rule of runs that no class protects and no rule matches.
const RuleBaseline = "baseline"

// protects reports whether a hit protects its run.
func (p *Policy) protects(h *evidence.ClassHit) bool {
	return AlwaysProtected(h.Class) || !p.Unprotected[h.Class] && h.Count >= p.AtLeast[h.Class]
}

// match returns 1 + the number of the first rule that matches any span, 0 if none does.
func (p *Policy) match(td ptrace.Traces) int {
	for i := range p.Rules {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if p.Rules[i].Match(rs, ss, span) {
						return i + 1
					}
				}
			}
		}
	}
	return 0
}

// overruled is the name of a rule that matches a protected run and keeps nothing.
func (p *Policy) overruled(rule int) string {
	if rule > 0 && p.Rules[rule-1].Keep == 0 {
		return p.Rules[rule-1].Name
	}
	return ""
}

// payer is the tenant whose quota counts for the spans of a resource.
func (p *Policy) payer(r pcommon.Resource) string {
	if p.ownTenants() {
		return ""
	}
	if v, ok := r.Attributes().Get(p.TenantKey); ok {
		return v.AsString()
	}
	return ""
}

// ownTenants reports whether quotas are by the tenants that separate runs.
func (p *Policy) ownTenants() bool { return p.TenantKey == "" || p.TenantKey == semconv.TenantID }

// payerOf is the tenant whose quota counts for a run, "" without quotas.
func (p *Policy) payerOf(tenant string, d *Digest) string {
	switch {
	case p.Quotas == nil:
		return ""
	case p.ownTenants():
		return tenant
	}
	return d.Payer
}
