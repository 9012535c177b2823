package tailpolicy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// Config says which runs are kept, and how long and in how much memory they wait.
type Config struct {
	// DecisionWait is how long no span of a run may arrive before the run is decided.
	DecisionWait time.Duration `mapstructure:"decision_wait"`
	// MaxWait is when a run is decided that never rests, counted from its first span.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Protect turns keep classes off, by name. Only verifier_fail and error can be.
	Protect map[string]ClassConfig `mapstructure:"protect"`
	// Rules set another share than the baseline for the runs they match; the first match counts.
	Rules []RuleConfig `mapstructure:"rules"`
	// Baseline is for runs that no class protects and no rule matches.
	Baseline BaselineConfig `mapstructure:"baseline"`
	// MemoryMiB is the budget of pending runs and of kept runs that could not be sent yet.
	MemoryMiB int64 `mapstructure:"memory_mib"`
	// Storage keeps pending runs on disk, so that they outlive the process; without it they are in memory only.
	Storage *StorageConfig `mapstructure:"storage"`
	// Limbo keeps dropped runs for a while, in case a late span protects them; it needs storage.
	Limbo LimboConfig `mapstructure:"limbo"`
	// DryRun sends everything, stamped with what would have become of it.
	DryRun bool `mapstructure:"dry_run"`
}

// ClassConfig is one keep class.
type ClassConfig struct {
	// Enabled says whether runs of the class are kept whatever rules and ratio say.
	Enabled bool `mapstructure:"enabled"`
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

// StorageConfig says where pending runs are kept.
type StorageConfig struct {
	// Directory belongs to one tailpolicy of one collector; it is made if it is not there.
	Directory string `mapstructure:"directory"`
	// MaxMiB is the most that pending runs take on disk.
	MaxMiB int64 `mapstructure:"max_mib"`
	// Fsync is how long what no class can be read from may be unsynced, or "always".
	Fsync string `mapstructure:"fsync"`
}

// LimboConfig says how long dropped runs can be brought back.
type LimboConfig struct {
	// Window is how long a dropped run is kept; 0s keeps none.
	Window time.Duration `mapstructure:"window"`
	// MaxMiB is the most that dropped runs take on disk, compressed.
	MaxMiB int64 `mapstructure:"max_mib"`
}

const fsyncAlways = "always"

// Unmarshal gives storage its defaults where it is there.
func (c *StorageConfig) Unmarshal(conf *confmap.Conf) error {
	c.MaxMiB, c.Fsync = 4096, "200ms"
	return conf.Unmarshal(c)
}

// sync is the interval between syncs, and whether every batch is synced too.
func (c *StorageConfig) sync() (time.Duration, bool) {
	if d, err := time.ParseDuration(c.Fsync); err == nil {
		return d, false
	}
	return 200 * time.Millisecond, true
}

// live is the most that is held in storage; the rest of max_mib is for what is
// forgotten but not yet removed.
func (c *StorageConfig) live() int64 {
	if c == nil {
		return 0
	}
	return c.MaxMiB << 20 / 4 * 3
}

func (c *LimboConfig) bytes() int64 {
	if c.Window <= 0 {
		return 0
	}
	return c.MaxMiB << 20
}

func createDefaultConfig() component.Config {
	return &Config{
		DecisionWait: 10 * time.Second,
		MaxWait:      10 * time.Minute,
		Baseline:     BaselineConfig{Ratio: 0.05},
		MemoryMiB:    256,
		Limbo:        LimboConfig{Window: time.Hour, MaxMiB: 1024},
	}
}

// Validate reports all problems, those of conditions included.
func (c *Config) Validate() error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.DecisionWait <= 0 {
		refuse("decision_wait must be more than 0s, found %s", c.DecisionWait)
	}
	if c.MaxWait < c.DecisionWait {
		refuse("max_wait must not be less than decision_wait %s, found %s", c.DecisionWait, c.MaxWait)
	}
	for _, class := range sortedKeys(c.Protect) {
		switch {
		case !slices.Contains(evidence.Classes(), class):
			refuse("protect must name one of %s, found %q", strings.Join(evidence.Classes(), ", "), class)
		case !c.Protect[class].Enabled && tail.AlwaysProtected(class):
			refuse("protect.%s.enabled cannot be turned off, found false", class)
		}
	}
	if !isShare(c.Baseline.Ratio) {
		refuse("baseline.ratio must be from 0 to 1, found %v", c.Baseline.Ratio)
	}
	if c.MemoryMiB < 1 || c.MemoryMiB > 1<<20 {
		refuse("memory_mib must be from 1 to %d, found %d", 1<<20, c.MemoryMiB)
	}
	errs = append(errs, c.validateStorage()...)
	errs = append(errs, validateRules(c.Rules)...)
	return errors.Join(errs...)
}

func (c *Config) validateStorage() (errs []error) {
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Limbo.Window < 0 {
		refuse("limbo.window must not be less than 0s, found %s", c.Limbo.Window)
	}
	if c.Limbo.MaxMiB < 32 || c.Limbo.MaxMiB > 1<<20 {
		refuse("limbo.max_mib must be from 32 to %d, found %d; window: 0s turns limbo off", 1<<20, c.Limbo.MaxMiB)
	}
	if c.Storage == nil {
		return errs
	}
	if c.Storage.Directory == "" {
		refuse("storage.directory must name a directory, found none")
	}
	if c.Storage.MaxMiB < 16 || c.Storage.MaxMiB > 1<<20 {
		refuse("storage.max_mib must be from 16 to %d, found %d", 1<<20, c.Storage.MaxMiB)
	}
	if d, err := time.ParseDuration(c.Storage.Fsync); c.Storage.Fsync != fsyncAlways && (err != nil || d < time.Millisecond || d > time.Minute) {
		refuse("storage.fsync must be %s or from 1ms to 1m, found %q", fsyncAlways, c.Storage.Fsync)
	}
	return errs
}

func validateRules(rules []RuleConfig) (errs []error) {
	first := map[string]int{}
	for i, r := range rules {
		if j, twice := first[r.Name]; twice {
			errs = append(errs, fmt.Errorf("rules[%d].name %q is already the name of rules[%d]", i, r.Name, j))
		} else {
			first[r.Name] = i
		}
		if r.Name == "" || r.Name == tail.RuleBaseline || r.Name == tail.RulePrior {
			errs = append(errs, fmt.Errorf("rules[%d].name must not be empty, %q or %q, found %q", i, tail.RuleBaseline, tail.RulePrior, r.Name))
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
