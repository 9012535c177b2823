package evaluation

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
)

// Config says how long results wait for what they judge, and how much is remembered.
type Config struct {
	// Window is how long a result waits for its subject, and how long steps,
	// verdicts and claims are remembered for results to come.
	Window time.Duration `mapstructure:"window"`

	// MaxTargets bounds the names of steps that are remembered, and as many
	// subjects, results and claims. The oldest makes room.
	MaxTargets int `mapstructure:"max_targets"`

	// MaxWaiting bounds the results that wait. The oldest goes out as it stands.
	MaxWaiting int `mapstructure:"max_waiting"`

	// MaxWaitingMiB bounds the memory of results that wait, in MiB.
	MaxWaitingMiB int `mapstructure:"max_waiting_mib"`

	// Storage names a storage extension that keeps what waits and what is
	// remembered over a restart. Without it waiting results go out at the stop.
	Storage *component.ID `mapstructure:"storage"`

	// Metrics says how results are counted where a metrics pipeline receives from here.
	Metrics MetricsConfig `mapstructure:"metrics"`
}

// MetricsConfig says how results are counted.
type MetricsConfig struct {
	// Interval is how often the counts are sent.
	Interval time.Duration `mapstructure:"interval"`

	// MaxSeries bounds the combinations of tenant, metric, verifier and version
	// that are counted by themselves; all others are counted together as _other.
	MaxSeries int `mapstructure:"max_series"`
}

// Validate reports every problem at once.
func (c *Config) Validate() error {
	return errors.Join(
		longer("window", c.Window, time.Second),
		atLeastOne("max_targets", c.MaxTargets),
		atLeastOne("max_waiting", c.MaxWaiting),
		atLeastOne("max_waiting_mib", c.MaxWaitingMiB),
		longer("metrics.interval", c.Metrics.Interval, time.Second),
		atLeastOne("metrics.max_series", c.Metrics.MaxSeries),
	)
}

func longer(key string, d, least time.Duration) error {
	if d >= least {
		return nil
	}
	return fmt.Errorf("%s must be at least %v, found %v", key, least, d)
}

func atLeastOne(key string, n int) error {
	if n >= 1 {
		return nil
	}
	return fmt.Errorf("%s must be at least 1, found %d", key, n)
}
