package tailpolicy

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/confmap"
)

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

const (
	maxMiB       = 4096
	fsyncDefault = "200ms"
)

// fsyncAlways syncs every batch before it is acknowledged.
const fsyncAlways = "always"

// Unmarshal gives storage its defaults where it is there.
func (c *StorageConfig) Unmarshal(conf *confmap.Conf) error {
	c.MaxMiB, c.Fsync = maxMiB, fsyncDefault
	if err := conf.Unmarshal(c); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
}

// Unmarshal takes storage without settings for one whose directory is missing: no
// storage is no storage at all.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if conf.IsSet("storage") && conf.Get("storage") == nil {
		c.Storage = &StorageConfig{MaxMiB: maxMiB, Fsync: fsyncDefault}
	}
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

// loadBytes is the most of a run that is decoded at one time. In memory a run cannot
// be larger than the budget; on disk it could be larger than the machine.
func (c *Config) loadBytes() int64 {
	if c.Storage == nil {
		return 0
	}
	return c.MemoryMiB << 20 / 4
}

func (c *LimboConfig) bytes() int64 {
	if c.Window <= 0 {
		return 0
	}
	return c.MaxMiB << 20
}

func (c *Config) validateStorage() (errs []error) {
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Limbo.Window != 0 && c.Limbo.Window < time.Second {
		refuse("limbo.window must be 0s, for none, or 1s and more, found %s; a number without a unit is nanoseconds", c.Limbo.Window)
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
		refuse("storage.fsync must be %s or from 1ms to 1m", fsyncAlways)
	}
	return errs
}
