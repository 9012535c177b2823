package lenientotlp

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// Unmarshal reads a configuration and refuses keys that do not exist, in the words of
// the decoder; confighttp alone would ignore them.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c, confmap.WithIgnoreUnused()); err != nil {
		return err
	}
	known := map[string]bool{}
	addKeys(known, reflect.TypeFor[Config]())
	var unknown []string
	for key := range conf.ToStringMap() {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return errors.New("has invalid keys: " + strings.Join(unknown, ", "))
	}
	return nil
}

// addKeys collects the keys of a struct, those of squashed ones included.
func addKeys(known map[string]bool, t reflect.Type) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("mapstructure"), ",")
		switch {
		case strings.Contains(options, "squash"):

			addKeys(known, t.Field(i).Type)
		case name != "" && name != "-":
			known[name] = true
		}
	}
}
