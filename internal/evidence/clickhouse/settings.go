package clickhouse

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Settings is what the store is told by the program around it.
type Settings struct {
	// DSN says where the server is: clickhouse://HOST:PORT/DATABASE for the
	// native protocol, http:// or https:// for HTTP. It may hold credentials.
	DSN string
	// Username and Password, if set, count instead of those in the DSN.
	Username, Password string
	// TLS, if set, is used for the connection.
	TLS *tls.Config
	// Cluster, if set, makes tables on all servers of that cluster.
	Cluster string
	// CreateSchema lets the store make and migrate its tables; without it they
	// are compared with what they should be.
	CreateSchema bool
	// Evidence and Records are how long the server itself keeps rows, for
	// tables that are made; 0 is for ever.
	Evidence, Records time.Duration
	// Retains says that a writer sees to this retention also where it may not
	// change tables: it refuses those that give up rows earlier.
	Retains bool
	// Now is asked for the time of storing. Without it every time that a row
	// states is believed, however wrong.
	Now func() time.Time
	// MaxRowBytes is the most that one span or record may take; more goes to
	// the quarantine. 0 means 16 MiB.
	MaxRowBytes int
	// Inserts is how many batches are inserted at the same time. 0 means two.
	Inserts int
	// KeyFile holds the key that signs the log over the rows; it is made if it is
	// not there. Without it no log is kept.
	KeyFile string
	// KeepKey refuses to sign in a store where others have signed and this key has
	// not, and makes no key for it.
	KeepKey bool
	// KeyNew is told the name of a key that has signed nothing yet in a store where
	// others have.
	KeyNew func(name string)
	// KeyShared is told the name of the key if another writer signs with it too.
	KeyShared func(name string)
	// Random makes keys and names of logs. nil means crypto/rand.
	Random io.Reader

	// options changes the driver's options last, for tests.
	options func(*driver.Options)
}

// DefaultDatabase is used if the DSN names none.
const DefaultDatabase = "otelcol_agent"

// schemes are the DSN schemes that mean this engine.
var schemes = []string{"clickhouse", "clickhouses", "tcp", "native", "http", "https"}

// Owns reports whether a DSN names this engine.
func Owns(dsn string) bool {
	name, _, found := strings.Cut(dsn, "://")
	if !found {
		return false
	}
	for _, s := range schemes {
		if strings.EqualFold(name, s) {
			return true
		}
	}
	return false
}

var databaseName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate reports what is wrong with the settings, never quoting the DSN.
func (s *Settings) Validate() error {
	_, _, err := s.driverOptions()
	return err
}

func (s *Settings) defaults() {
	if s.MaxRowBytes == 0 {
		s.MaxRowBytes = 16 << 20
	}
	if s.Inserts == 0 {
		s.Inserts = 2
	}
	if s.Random == nil {
		s.Random = rand.Reader
	}
}

func (s *Settings) now() int64 {
	if s.Now == nil {
		return 0
	}
	return s.Now().UnixNano()
}

// driverOptions returns how to connect, and the layout.
func (s *Settings) driverOptions() (*driver.Options, layout, error) {
	dsn := s.DSN
	if rest, ok := strings.CutPrefix(dsn, "clickhouses://"); ok {
		dsn = withParameter("clickhouse://"+rest, "secure", "true")
	} else if strings.HasPrefix(dsn, "https://") && !strings.Contains(dsn, "secure=") {
		dsn = withParameter(dsn, "secure", "true") // the driver wants it said twice
	}
	u, err := url.Parse(dsn)
	if err != nil || !Owns(dsn) || u.Host == "" {
		return nil, layout{}, errors.New("a ClickHouse DSN is clickhouse://HOST:PORT/DATABASE, http://HOST:PORT/DATABASE or https://HOST:PORT/DATABASE")
	}
	opts, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, layout{}, errors.New("the parameters of the ClickHouse DSN are not those of clickhouse-go; see its documentation")
	}
	l := layout{database: opts.Auth.Database, cluster: s.Cluster, evidence: s.Evidence, records: s.Records}
	if l.database == "" || l.database == "default" && strings.Trim(u.Path, "/") == "" {
		l.database = DefaultDatabase
	}
	if !databaseName.MatchString(l.database) {
		return nil, layout{}, fmt.Errorf("the database of the ClickHouse DSN is letters, digits and _, with no digit first")
	}
	if s.Cluster != "" && !databaseName.MatchString(s.Cluster) {
		return nil, layout{}, fmt.Errorf("cluster is letters, digits and _, with no digit first, found %q", s.Cluster)
	}
	opts.Auth.Database = "" // every statement names it, also before it is made
	if s.Username != "" {
		opts.Auth.Username = s.Username
	}
	if s.Password != "" {
		opts.Auth.Password = s.Password
	}
	if s.TLS != nil {
		opts.TLS = s.TLS
	}
	if opts.Compression == nil {
		opts.Compression = &driver.Compression{Method: driver.CompressionLZ4}
	}
	if opts.DialTimeout == 0 {
		opts.DialTimeout = 5 * time.Second
	}
	opts.MaxOpenConns = max(opts.MaxOpenConns, 8)
	opts.MaxIdleConns = max(opts.MaxIdleConns, 8)
	opts.ClientInfo.Products = append(opts.ClientInfo.Products, struct{ Name, Version string }{"otelcol-agent", ""})
	if s.options != nil {
		s.options(opts)
	}
	return opts, l, nil
}

func withParameter(dsn, name, value string) string {
	if strings.Contains(dsn, "?") {
		return dsn + "&" + name + "=" + value
	}
	return dsn + "?" + name + "=" + value
}

// Place says where the store is, without credentials.
func (s *Settings) Place() string {
	u, err := url.Parse(s.DSN)
	if err != nil {
		return "ClickHouse"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
