package lenientotlp

import (
	"errors"
	"fmt"
	"net/url"
	"path"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Config says where requests are taken and how large they may be.
type Config struct {
	// HTTP is the server, with every key of the stock receiver's
	// protocols::http. Its max_request_body_size bounds a body as it is sent and
	// again as it is decompressed; 0 means 20 MiB.
	HTTP confighttp.ServerConfig `mapstructure:",squash"`

	// TracesURLPath is the path of traces.
	TracesURLPath URLPath `mapstructure:"traces_url_path"`

	// MetricsURLPath is the path of metrics.
	MetricsURLPath URLPath `mapstructure:"metrics_url_path"`

	// LogsURLPath is the path of logs.
	LogsURLPath URLPath `mapstructure:"logs_url_path"`

	// MaxNesting is how many objects and arrays of a JSON body, or messages of a
	// protobuf one, may be open at one time. A value in a value needs three.
	MaxNesting int `mapstructure:"max_nesting"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// URLPath is a path of the server; a missing slash is put in front.
type URLPath string

// UnmarshalText reads a path out of a URL.
func (p *URLPath) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil {
		return errors.New("must be the path of a URL, like /v1/traces")
	}
	if !path.IsAbs(u.Path) {
		u.Path = "/" + u.Path
	}
	*p = URLPath(u.Path)
	return nil
}

// The bounds of max_nesting: an attribute needs ten, and the decoder itself stops at
// the other.
const (
	leastNesting = 16
	mostNesting  = 10_000
)

// Validate reports every problem at once.
func (c *Config) Validate() error {
	var errs []error
	if c.HTTP.NetAddr.Endpoint == "" {
		errs = append(errs, errors.New("endpoint must be host:port"))
	}
	if c.MaxNesting < leastNesting || c.MaxNesting > mostNesting {
		errs = append(errs, fmt.Errorf("max_nesting must be from %d to %d, found %d", leastNesting, mostNesting, c.MaxNesting))
	}
	if c.HTTP.MaxRequestBodySize < 0 {
		errs = append(errs, fmt.Errorf("max_request_body_size must not be below 0, found %d", c.HTTP.MaxRequestBodySize))
	}
	taken := map[URLPath]string{profilesPath: "the profiles path"}
	for _, p := range []struct {
		key  string
		path URLPath
	}{{"traces_url_path", c.TracesURLPath}, {"metrics_url_path", c.MetricsURLPath}, {"logs_url_path", c.LogsURLPath}} {
		if other, ok := taken[p.path]; ok {
			errs = append(errs, fmt.Errorf("%s must be a path of its own, found that of %s", p.key, other))
		}
		taken[p.path] = p.key
	}
	return errors.Join(errs...)
}
