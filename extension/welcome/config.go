package welcome

import (
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
)

// Config says what the message speaks of.
type Config struct {
	// Receiver is the OTLP receiver whose addresses are told. One that is not in
	// the configuration is left out of the message.
	Receiver component.ID `mapstructure:"receiver"`

	// HTTP is the receiver of OTLP/HTTP whose address is told in place of the one of
	// the OTLP receiver, if it is in the configuration.
	HTTP component.ID `mapstructure:"http"`

	// Review is the review extension whose address is told. One that does not run is
	// left out of the message.
	Review component.ID `mapstructure:"review"`

	// Store is the DSN of the evidence store, as the exporter has it: sqlite:PATH, a
	// path or a ClickHouse server. Empty means the file in the user's data folder.
	Store configopaque.String `mapstructure:"store"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	otlp        = component.MustNewType("otlp")
	lenientotlp = component.MustNewType("lenientotlp")
	review      = component.MustNewType("review")
)

// Validate reports every problem of the configuration.
func (c *Config) Validate() error {
	var errs []error
	if c.Receiver.Type() != otlp {
		errs = append(errs, errors.New("receiver must be of type otlp, found "+c.Receiver.Type().String()))
	}
	if c.HTTP.Type() != lenientotlp {
		errs = append(errs, errors.New("http must be of type lenientotlp, found "+c.HTTP.Type().String()))
	}
	if c.Review.Type() != review {
		errs = append(errs, errors.New("review must be of type review, found "+c.Review.Type().String()))
	}
	if _, err := placeOf(string(c.Store), os.Getenv); err != nil {
		errs = append(errs, fmt.Errorf("store: %w", err))
	}
	return errors.Join(errs...)
}
