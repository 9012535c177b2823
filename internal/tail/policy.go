package tail

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Policy says which runs are kept.
type Policy struct {
	Unprotected map[string]bool // classes that do not protect; never one of AlwaysProtected
	Rules       []Rule          // the first that matches any span of an unprotected run decides it
	Ratio       float64         // share of all other runs that is kept, 0 to 1
}

// Rule keeps a share of the runs that it matches.
type Rule struct {
	Name  string
	Keep  float64 // 0 to 1
	Match func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool
}

// RuleBaseline is the rule of runs that no class protects and no rule matches.
const RuleBaseline = "baseline"

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
