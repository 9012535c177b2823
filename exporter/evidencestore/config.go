package evidencestore

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// Config says where evidence is kept and how long.
type Config struct {
	// DSN names the store: sqlite:PATH or just a path, or a ClickHouse server as
	// clickhouse://HOST:PORT/DATABASE, http:// or https://. Without it the store
	// is otelcol-agent/evidence.db in the user's data folder ($XDG_DATA_HOME, else
	// ~/.local/share).
	DSN configopaque.String `mapstructure:"dsn"`
	// ClickHouse is for a store in ClickHouse and says nothing otherwise.
	ClickHouse ClickHouseConfig `mapstructure:"clickhouse"`
	// Retention is how long rows are kept.
	Retention RetentionConfig `mapstructure:"retention"`
	// Ledger is for the signed log over the rows.
	Ledger LedgerConfig `mapstructure:"ledger"`
	// TimeoutConfig bounds one try to store a batch.
	TimeoutConfig exporterhelper.TimeoutConfig `mapstructure:",squash"`
	// RetryConfig says how often a batch is tried again, for example while the
	// disk is full. Without a queue the sender waits meanwhile.
	RetryConfig configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// QueueConfig puts a queue before the store. There is none by default: what
	// waits in memory is not stored, and batches that come at the same time share
	// a commit anyway. A queue that is configured keeps its senders waiting until
	// their data is stored (wait_for_result), unless that is turned off.
	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
}

// ClickHouseConfig says how a ClickHouse server is used.
type ClickHouseConfig struct {
	// Username and Password count instead of those in the DSN.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
	// TLS is used for the connection if it is set; a DSN that begins with https://
	// or has secure=true uses the system's certificates without it.
	TLS configoptional.Optional[configtls.ClientConfig] `mapstructure:"tls"`
	// Cluster makes replicated tables on all servers of the cluster of that name,
	// and spreads rows over its shards.
	Cluster string `mapstructure:"cluster"`
	// CreateSchema lets the store make and migrate its tables. Without it the
	// tables are compared at the start, and what is missing or differs is named.
	CreateSchema bool `mapstructure:"create_schema"`
	// Inserts is how many batches are inserted at the same time.
	Inserts int `mapstructure:"inserts"`
}

// RetentionConfig says how old rows may get; 0 keeps them for ever.
type RetentionConfig struct {
	// Evidence is how long spans are kept, with the decisions, effects, verdicts
	// and other facts they state, and the facts of records.
	Evidence Age `mapstructure:"evidence"`
	// Records is how long log records are kept.
	Records Age `mapstructure:"records"`
}

// LedgerConfig says whether a log over the rows is kept, and how it is signed.
type LedgerConfig struct {
	// Enabled keeps the log by which verify proves that nothing recorded was changed
	// or removed. A store in ClickHouse is about half the size without it and needs
	// no key. Whether a store has a log is decided by who writes first: a collector
	// that keeps none does not start on a store that has one. SQLite always keeps it.
	Enabled bool `mapstructure:"enabled"`
	// KeyFile holds the ed25519 key that signs checkpoints. It is made, with mode
	// 0600, if it is not there. Without it the key is beside the store, in a file
	// of the store's name with .key behind it; for a store in ClickHouse it is in
	// the user's data folder, under the name of server and database. A collector
	// that has no disk of its own needs one for this: each key is a signer that
	// verify has to be told of.
	KeyFile string `mapstructure:"key_file"`
}

const (
	day             = 24 * time.Hour
	defaultEvidence = 400 * day
	defaultRecords  = 30 * day
	// ShortestRetention is the least that a retention may be: it keeps a slip of the unit from emptying the store.
	ShortestRetention = time.Hour
)

// DefaultRetention is how long rows are kept unless something else is said.
func DefaultRetention() RetentionConfig {
	return RetentionConfig{Evidence: Age(defaultEvidence), Records: Age(defaultRecords)}
}

func createDefaultConfig() component.Config {
	timeout := exporterhelper.NewDefaultTimeoutConfig()
	timeout.Timeout = 10 * time.Second
	retry := configretry.NewDefaultBackOffConfig()
	retry.InitialInterval = 200 * time.Millisecond
	retry.MaxInterval = 5 * time.Second
	retry.MaxElapsedTime = 30 * time.Second
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.WaitForResult = true
	return &Config{
		ClickHouse:    ClickHouseConfig{CreateSchema: true, Inserts: 2, TLS: configoptional.Default(configtls.NewDefaultClientConfig())},
		Ledger:        LedgerConfig{Enabled: true},
		Retention:     DefaultRetention(),
		TimeoutConfig: timeout,
		RetryConfig:   retry,
		QueueConfig:   configoptional.Default(queue),
	}
}

// Validate reports all problems at once. It does not look at the disk.
func (c *Config) Validate() error {
	var errs []error
	if clickhouse.Owns(string(c.DSN)) {
		s := c.clickHouse()
		if err := s.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("dsn: %w", err))
		}
	} else {
		if _, err := c.path(); err != nil {
			errs = append(errs, fmt.Errorf("dsn: %w", err))
		}
		if !c.Ledger.Enabled {
			errs = append(errs, errors.New("ledger.enabled must be true for a store in SQLite, whose rows and log are one file; false is for ClickHouse"))
		}
	}
	if !c.Ledger.Enabled && c.Ledger.KeyFile != "" {
		errs = append(errs, errors.New("ledger.key_file names a key, and ledger.enabled: false needs none; remove one of them"))
	}
	if c.ClickHouse.Inserts < 1 {
		errs = append(errs, fmt.Errorf("clickhouse.inserts is at least 1, found %d", c.ClickHouse.Inserts))
	}
	for _, r := range []struct {
		key  string
		kept time.Duration
	}{{"evidence", time.Duration(c.Retention.Evidence)}, {"records", time.Duration(c.Retention.Records)}} {
		if r.kept < 0 || r.kept > 0 && r.kept < ShortestRetention {
			errs = append(errs, fmt.Errorf("retention.%s is 0 (for ever) or at least %s, found %s", r.key, ShortestRetention, r.kept))
		}
	}
	if strings.HasPrefix(c.Ledger.KeyFile, "~/") {
		errs = append(errs, errors.New("ledger.key_file is taken as it is, and no folder has the name ~; write the home folder out, as ${env:HOME}"))
	}
	return errors.Join(errs...)
}

// clickHouse returns how to reach ClickHouse, without its certificates, which are
// read at the start.
func (c *Config) clickHouse() clickhouse.Settings {
	return clickhouse.Settings{
		DSN: string(c.DSN), Username: c.ClickHouse.Username, Password: string(c.ClickHouse.Password),
		Cluster: c.ClickHouse.Cluster, CreateSchema: c.ClickHouse.CreateSchema, Inserts: c.ClickHouse.Inserts,
		Evidence: time.Duration(c.Retention.Evidence), Records: time.Duration(c.Retention.Records), Retains: true,
	}
}

// keyFile returns where the key lies that signs what is stored in ClickHouse, ""
// if nothing is signed.
func (c *Config) keyFile(s clickhouse.Settings) (string, error) {
	if !c.Ledger.Enabled {
		return "", nil
	}
	if c.Ledger.KeyFile != "" {
		return c.Ledger.KeyFile, nil
	}
	folder, err := sqlite.DefaultFolder(os.Getenv)
	if err != nil {
		return "", fmt.Errorf("no place for the signing key: %w; %s", err, keyAdvice)
	}
	return s.DefaultKeyFile(folder), nil
}

// keyAdvice is what helps where no key can be made, as in a container.
const keyAdvice = "name a file on a disk that stays (ledger.key_file), or keep no signed log (ledger.enabled: false)"

// path returns the file of the store.
func (c *Config) path() (string, error) { return sqlite.PathOf(string(c.DSN), os.Getenv) }
