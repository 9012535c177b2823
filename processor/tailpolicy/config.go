package tailpolicy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Config says which runs are kept, and how long and in how much memory they wait.
type Config struct {
	// DecisionWait is how long no span of a run may arrive before the run is decided.
	DecisionWait time.Duration `mapstructure:"decision_wait"`
	// MaxWait is when a run is decided that never rests, counted from its first span.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Protect turns keep classes off, by name, or says how much of them protects. Only of verifier_fail and error.
	Protect map[string]ClassConfig `mapstructure:"protect"`
	// Rules set another share than the baseline for the runs they match; the first match counts.
	Rules []RuleConfig `mapstructure:"rules"`
	// Baseline is for runs that no class protects and no rule matches.
	Baseline BaselineConfig `mapstructure:"baseline"`
	// Slow keeps runs that took longer than nearly all of their kind.
	Slow SlowConfig `mapstructure:"slow"`
	// Quotas bound what each tenant's unprotected runs come to.
	Quotas QuotasConfig `mapstructure:"quotas"`
	// Fold makes one span of many small ones.
	Fold FoldConfig `mapstructure:"fold"`
	// Truncate sheds content of runs that are too large.
	Truncate TruncateConfig `mapstructure:"truncate"`
	// MemoryMiB is the budget of pending runs and of kept runs that could not be sent yet.
	MemoryMiB int64 `mapstructure:"memory_mib"`
	// Storage keeps pending runs on disk, so that they outlive the process; without it they are in memory only.
	Storage *StorageConfig `mapstructure:"storage"`
	// Limbo keeps dropped runs for a while, in case a late span protects them; it needs storage.
	Limbo LimboConfig `mapstructure:"limbo"`
	// Overflow is what becomes of a batch that there is no room for: "refuse" it, retryably, or "drop" it and count.
	Overflow string `mapstructure:"overflow"`
	// DryRun sends everything, stamped with what would have become of it.
	DryRun bool `mapstructure:"dry_run"`
}

// ClassConfig is one keep class.
type ClassConfig struct {
	// Enabled says whether runs of the class are kept whatever rules and ratio say; true if absent.
	Enabled *bool `mapstructure:"enabled"`
	// AtLeast is how many steps in error, or failing verdicts, protect a run; 1 if absent.
	AtLeast *int `mapstructure:"at_least"`
}

func (c ClassConfig) off() bool { return c.Enabled != nil && !*c.Enabled }

func (c ClassConfig) atLeast() int {
	if c.AtLeast == nil {
		return 1
	}
	return *c.AtLeast
}

// RuleConfig keeps a share of the runs that it matches.
type RuleConfig struct {
	// Name is stamped on the runs that the rule keeps.
	Name string `mapstructure:"name"`
	// Condition is an OTTL condition; its paths start with span., scope. or resource. A run matches if any of its spans does.
	Condition string `mapstructure:"condition"`
	// Keep is the share of matching runs that is kept, from 0 to 1; it has no default.
	Keep *float64 `mapstructure:"keep"`
}

// BaselineConfig is the share of ordinary runs.
type BaselineConfig struct {
	// Ratio is the share of runs that is kept, from 0 to 1.
	Ratio float64 `mapstructure:"ratio"`
}

func createDefaultConfig() component.Config {
	return &Config{
		DecisionWait: 10 * time.Second,
		MaxWait:      10 * time.Minute,
		Baseline:     BaselineConfig{Ratio: 0.05},
		Slow:         SlowConfig{Percentile: 0.99, MinCount: 200, MaxKinds: 1000},
		Quotas:       QuotasConfig{TenantKey: semconv.TenantID},
		Fold:         FoldConfig{Above: 100},
		Truncate:     TruncateConfig{AboveMiB: 16},
		MemoryMiB:    256,
		Limbo:        LimboConfig{Window: time.Hour, MaxMiB: 1024},
		Overflow:     overflowRefuse,
	}
}

// Validate reports all problems, those of conditions included.
func (c *Config) Validate() error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.DecisionWait < time.Millisecond {
		refuse("decision_wait must be 1ms or more, found %s; a number without a unit is nanoseconds", c.DecisionWait)
	}
	if c.MaxWait < c.DecisionWait {
		refuse("max_wait must not be less than decision_wait %s, found %s", c.DecisionWait, c.MaxWait)
	}
	for _, class := range sortedKeys(c.Protect) {
		set := c.Protect[class]
		if !slices.Contains(evidence.Classes(), class) {
			refuse("protect must name one of %s, found %q", strings.Join(evidence.Classes(), ", "), class)
			continue
		}
		if set.off() && tail.AlwaysProtected(class) {
			refuse("protect.%s.enabled cannot be turned off, found false", class)
		}
		if n := set.atLeast(); n != 1 && tail.AlwaysProtected(class) {
			refuse("protect.%s.at_least cannot be changed, found %d", class, n)
		} else if n < 1 {
			refuse("protect.%s.at_least must be 1 or more, found %d", class, n)
		}
	}
	if !isShare(c.Baseline.Ratio) {
		refuse("baseline.ratio must be from 0 to 1, found %v", c.Baseline.Ratio)
	}
	if c.MemoryMiB < 1 || c.MemoryMiB > 1<<20 {
		refuse("memory_mib must be from 1 to %d, found %d", 1<<20, c.MemoryMiB)
	}
	if c.Overflow != overflowRefuse && c.Overflow != overflowDrop {
		refuse("overflow must be %s or %s", overflowRefuse, overflowDrop)
	}
	errs = append(errs, c.validateStorage()...)
	errs = append(errs, validateRules(c.Rules)...)
	errs = append(errs, c.Slow.problems()...)
	errs = append(errs, c.Quotas.problems()...)
	if c.Fold.Above < 0 || c.Fold.Above == 1 {
		refuse("fold.above must be 0, for none, or 2 and more, found %d", c.Fold.Above)
	}
	if c.Truncate.AboveMiB < 0 || c.Truncate.AboveMiB > 1<<20 {
		refuse("truncate.above_mib must be from 0, for none, to %d, found %d", 1<<20, c.Truncate.AboveMiB)
	}
	return errors.Join(errs...)
}

// ownRules are stamped on runs that no rule of the user decides.
var ownRules = []string{tail.RuleBaseline, tail.RuleSlow, tail.RulePrior}

func validateRules(rules []RuleConfig) (errs []error) {
	first := map[string]int{}
	for i, r := range rules {
		if j, twice := first[r.Name]; twice {
			errs = append(errs, fmt.Errorf("rules[%d].name %q is already the name of rules[%d]", i, r.Name, j))
		} else {
			first[r.Name] = i
		}
		if r.Name == "" || slices.Contains(ownRules, r.Name) {
			errs = append(errs, fmt.Errorf("rules[%d].name must not be empty or one of %q", i, ownRules))
		}
		if r.Keep == nil {
			errs = append(errs, fmt.Errorf("rules[%d].keep must be from 0 to 1, found none", i))
		} else if !isShare(*r.Keep) {
			errs = append(errs, fmt.Errorf("rules[%d].keep must be from 0 to 1, found %v", i, *r.Keep))
		}
		if _, err := compile(r.Condition); err != nil {
			errs = append(errs, fmt.Errorf("rules[%d].condition must be an OTTL condition on spans: %w", i, err))
		}
	}
	return errs
}

// isShare is false for NaN.
func isShare(f float64) bool { return f >= 0 && f <= 1 }

func sortedKeys(m map[string]ClassConfig) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
