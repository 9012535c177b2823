package review

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Policy is what was decided over many runs.
type Policy struct {
	Runs int `json:"-"`
	Answers
	Bypassed int             `json:"bypassed"`
	Rules    []RuleCount     `json:"rules"`
	Deciders []DeciderCount  `json:"deciders"`
	Latest   []PolicyFinding `json:"denials"`          // the newest, bypasses first
	More     int             `json:"denials_left_out"` // that are not in the list
	rules    map[[3]string]*RuleCount
	deciders map[string]*DeciderCount
}

// Answers are decisions by what they say; there are no others.
type Answers struct {
	Allowed int `json:"allowed"`
	Denied  int `json:"denied"`
	Asked   int `json:"asked"`
}

func (a *Answers) count(verdict string) {
	switch verdict {
	case semconv.AppPermissionDecisionAllow, semconv.AppPermissionDecisionModify:
		a.Allowed++
	case semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAbort:
		a.Denied++
	case semconv.AppPermissionDecisionAsk:
		a.Asked++
	}
}

// RuleCount is the decisions of one rule.
type RuleCount struct {
	Policy  string `json:"policy_id"`
	Version string `json:"policy_version"`
	Rule    string `json:"rule_id"`
	Answers
	Bypassed int `json:"bypassed"`
	Runs     int `json:"runs"`
	lastRun  int
}

// DeciderCount is the decisions of one kind of decider.
type DeciderCount struct {
	By string `json:"decided_by"`
	Answers
}

// PolicyFinding is a denial.
type PolicyFinding struct {
	Task     string `json:"task_id"`
	Tenant   string `json:"tenant"`
	About    string `json:"about"`
	Verdict  string `json:"verdict"`
	By       string `json:"decided_by"`
	Policy   string `json:"policy_id"`
	Version  string `json:"policy_version"`
	Rule     string `json:"rule_id"`
	Enforced string `json:"enforced"`
	Bypass   bool   `json:"bypass"`
	Place    string `json:"place"`
	Step     string `json:"step,omitempty"`
}

// maxFindings is how many denials are listed.
const maxFindings = 100

// Add counts the decisions of a run.
func (p *Policy) Add(r *evidence.Reading) {
	if p.rules == nil {
		p.rules, p.deciders = map[[3]string]*RuleCount{}, map[string]*DeciderCount{}
	}
	p.Runs++
	rep := r.Report("")
	for i := range rep.Decisions {
		d := &rep.Decisions[i]
		k := [3]string{d.PolicyID, d.PolicyVersion, d.RuleID}
		rule := p.rules[k]
		if rule == nil {
			rule = &RuleCount{Policy: k[0], Version: k[1], Rule: k[2]}
			p.rules[k] = rule
		}
		by := p.deciders[d.DecidedBy]
		if by == nil {
			by = &DeciderCount{By: d.DecidedBy}
			p.deciders[d.DecidedBy] = by
		}
		if rule.lastRun != p.Runs {
			rule.lastRun = p.Runs
			rule.Runs++
		}
		for _, a := range []*Answers{&p.Answers, &rule.Answers, &by.Answers} {
			a.count(d.Verdict)
		}
		if d.Bypass {
			p.Bypassed++
			rule.Bypassed++
		}
		if d.Bypass || d.Verdict == semconv.AppPermissionDecisionDeny || d.Verdict == semconv.AppPermissionDecisionAbort {
			p.Latest = append(p.Latest, PolicyFinding{
				Task: rep.RootTaskID, Tenant: rep.Tenant, About: r.DecisionSubject(d.DecisionID), Verdict: d.Verdict, By: d.DecidedBy, Policy: d.PolicyID,
				Version: d.PolicyVersion, Rule: d.RuleID, Enforced: d.Enforced, Bypass: d.Bypass,
				Place: rootPlace(&rep), Step: StepPlace(rep.Tenant, d.TraceID, d.SpanID),
			})
		}
	}
}

// Finish orders what was counted, the gravest first.
func (p *Policy) Finish() {
	p.Rules, p.Deciders = []RuleCount{}, []DeciderCount{}
	for _, r := range p.rules {
		p.Rules = append(p.Rules, *r)
	}
	for _, d := range p.deciders {
		p.Deciders = append(p.Deciders, *d)
	}
	slices.SortFunc(p.Rules, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Bypassed, a.Bypassed), cmp.Compare(b.Denied, a.Denied), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortFunc(p.Deciders, func(a, b DeciderCount) int {
		return cmp.Or(cmp.Compare(b.Denied, a.Denied), cmp.Compare(a.By, b.By))
	})
	slices.SortStableFunc(p.Latest, func(a, b PolicyFinding) int { return cmp.Compare(side(b.Bypass), side(a.Bypass)) })
	p.More = max(len(p.Latest)-maxFindings, 0)
	p.Latest = append([]PolicyFinding{}, p.Latest[:len(p.Latest)-p.More]...)
}

func side(b bool) int {
	if b {
		return 1
	}
	return 0
}
