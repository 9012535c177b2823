package tailpolicy

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// SlowConfig keeps runs that took longer than nearly all of their kind: agent and operation.
type SlowConfig struct {
	// Percentile is the share of runs of a kind that are not slow, below 1; 0 keeps none for being slow.
	Percentile float64 `mapstructure:"percentile"`
	// MinCount is how many of a kind must have been seen before one is slow.
	MinCount int `mapstructure:"min_count"`
	// MaxKinds is how many kinds are timed, at 5 KiB each; the one not seen for longest makes room.
	MaxKinds int `mapstructure:"max_kinds"`
}

func (c *SlowConfig) on() bool { return c.Percentile > 0 }

func (c *SlowConfig) problems() (errs []error) {
	if !(c.Percentile >= 0 && c.Percentile < 1) {
		errs = append(errs, fmt.Errorf("slow.percentile must be from 0, for none, to below 1, found %v", c.Percentile))
	}
	if c.MinCount < 2 {
		errs = append(errs, fmt.Errorf("slow.min_count must be 2 or more, found %d", c.MinCount))
	}
	if c.MaxKinds < 1 || c.MaxKinds > 1<<16 {
		errs = append(errs, fmt.Errorf("slow.max_kinds must be from 1 to %d, found %d", 1<<16, c.MaxKinds))
	}
	return errs
}

// QuotasConfig bounds what each tenant's unprotected runs come to. Protected runs
// are kept beside it.
type QuotasConfig struct {
	// TenantKey is the resource attribute that names the tenant.
	TenantKey string `mapstructure:"tenant_key"`
	// QuotaConfig is the quota of each tenant that has none of its own.
	QuotaConfig `mapstructure:",squash"`
	// Tenants are quotas of single tenants, by name. Their names are the values that the metrics' tenant attribute can have.
	Tenants map[string]QuotaConfig `mapstructure:"tenants"`
}

// QuotaConfig is the quota of one tenant.
type QuotaConfig struct {
	// SpansPerSecond is how many spans of unprotected runs are kept in the long run; 0 sets no limit.
	SpansPerSecond float64 `mapstructure:"spans_per_second"`
	// BytesPerSecond is how many bytes of them, as OTLP protobuf; 0 sets no limit.
	BytesPerSecond float64 `mapstructure:"bytes_per_second"`
}

func (c *QuotasConfig) on() bool { return c.QuotaConfig != (QuotaConfig{}) || len(c.Tenants) > 0 }

func (c *QuotasConfig) problems() (errs []error) {
	if c.TenantKey == "" {
		errs = append(errs, fmt.Errorf("quotas.tenant_key must name a resource attribute, found none"))
	}
	errs = append(errs, c.QuotaConfig.problems("quotas")...)
	names := make([]string, 0, len(c.Tenants))
	for name := range c.Tenants {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		errs = append(errs, c.Tenants[name].problems("quotas.tenants."+name)...)
	}
	return errs
}

func (c QuotaConfig) problems(at string) (errs []error) {
	for _, limit := range []struct {
		key   string
		value float64
	}{{"spans_per_second", c.SpansPerSecond}, {"bytes_per_second", c.BytesPerSecond}} {
		if !(limit.value >= 0 && limit.value <= math.MaxInt64) {
			errs = append(errs, fmt.Errorf("%s.%s must be 0, for no limit, or more, found %v", at, limit.key, limit.value))
		}
	}
	return errs
}

// FoldConfig makes one span of many small ones: of the leaf spans of one name
// under one parent, as streams of tokens or chunks leave them.
type FoldConfig struct {
	// Above is how many of them stand as they are; one span stands for all others. 0 folds none.
	Above int `mapstructure:"above"`
}

// TruncateConfig sheds content of ordinary spans of kept runs that are too large.
type TruncateConfig struct {
	// AboveMiB is the size, as OTLP protobuf, that content is shed above; 0 sheds none.
	AboveMiB int64 `mapstructure:"above_mib"`
}

const (
	rememberedMost = 1 << 20 // keys of decided runs: 16 MiB
	rememberedPart = 8       // of memory_mib at most
)

// remembered is how many keys of decided runs are known, a power of two.
func (c *Config) remembered() int {
	room := c.MemoryMiB << 20 / rememberedPart / tail.DecidedBytes
	return min(rememberedMost, 1<<(bits.Len64(uint64(room))-1))
}

// memoryBytes is what memory_mib leaves for runs.
func (c *Config) memoryBytes() int64 {
	return c.MemoryMiB<<20 - int64(c.remembered())*tail.DecidedBytes
}
