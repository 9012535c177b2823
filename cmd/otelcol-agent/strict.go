package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
)

// newStrictFactory makes a converter that changes nothing and refuses a
// configuration with every problem of every component, in order of their keys.
// The collector itself stops at the first component that it cannot read.
func newStrictFactory(factories func() (otelcol.Factories, error)) confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter { return strict{factories} })
}

type strict struct {
	factories func() (otelcol.Factories, error)
}

func (s strict) Convert(_ context.Context, conf *confmap.Conf) error {
	f, err := s.factories()
	if err != nil {
		return err
	}
	return errors.Join(slices.Concat(
		problems(conf, "receivers", f.Receivers),
		problems(conf, "processors", f.Processors),
		problems(conf, "exporters", f.Exporters),
		problems(conf, "connectors", f.Connectors),
		problems(conf, "extensions", f.Extensions),
		unlisted(conf),
	)...)
}

// problems returns what is wrong with the components of one section.
func problems[F component.Factory](conf *confmap.Conf, section string, factories map[component.Type]F) []error {
	sub, err := conf.Sub(section)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", section, err)}
	}
	var out []error
	for _, key := range slices.Sorted(maps.Keys(sub.ToStringMap())) {
		where := section + confmap.KeyDelimiter + key
		var id component.ID
		if err := id.UnmarshalText([]byte(key)); err != nil {
			out = append(out, fmt.Errorf("%s: %w", where, err))
			continue
		}
		factory, ok := factories[id.Type()]
		if !ok {
			out = append(out, fmt.Errorf("%s: %q is no type of %s in this collector; `%s components` lists them", where, id.Type(), section, name))
			continue
		}
		out = append(out, componentProblems(sub, key, where, factory)...)
	}
	return out
}

// componentProblems tells numbers that would be read as others, or else keys that do not
// exist and, where they are all that cannot be read, what is wrong with the rest.
func componentProblems(section *confmap.Conf, key, where string, factory component.Factory) []error {
	own, err := section.Sub(key)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", where, err)}
	}
	cfg := factory.CreateDefaultConfig()
	if out := wholeNumberProblems(own.ToStringMap(), reflect.TypeOf(cfg), where); len(out) > 0 {
		return out
	}
	var out []error
	if err := own.Unmarshal(&cfg); err != nil {
		var rest *confmap.Conf
		if out, rest = decodeProblems(err, where, own, cfg); rest == nil {
			return out
		}
		cfg = factory.CreateDefaultConfig()
		if err := rest.Unmarshal(&cfg); err != nil {
			return out // what it says now is said of a part of what a user wrote
		}
	}
	if err := confmap.Validate(cfg); err != nil {
		out = append(out, fmt.Errorf("%s: %s", where, strings.ReplaceAll(err.Error(), "\n", "\n"+where+": ")))
	}
	return out
}
