package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy"
)

// configList is the values of --config, in the form in which the collector's own
// flag shows them.
type configList []string

func (c *configList) String() string     { return "[" + strings.Join(*c, ", ") + "]" }
func (c *configList) Set(v string) error { *c = append(*c, v); return nil }
func (c *configList) Type() string       { return "config" }

// tailSource says where a policy is.
type tailSource struct {
	configs   configList
	processor string
}

func (tailSource) standard() string { return presets.Default }

// tailPolicy is a compiled policy and where it is from.
type tailPolicy struct {
	tail.Policy
	name   string // component id
	absent bool   // the configuration has none, these are the defaults
	failed map[string]bool
}

// load resolves the configuration as the collector does and compiles the policy in it.
func (s *tailSource) load(ctx context.Context) (*tailPolicy, error) {
	set := collectorSettings().ConfigProviderSettings.ResolverSettings
	if set.URIs = s.configs; len(set.URIs) == 0 {
		set.URIs = []string{presets.Default}
	}
	resolver, err := confmap.NewResolver(set)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	defer func() { _ = resolver.Shutdown(ctx) }()
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	processors, _ := conf.Get("processors").(map[string]any)
	p := &tailPolicy{failed: map[string]bool{}}
	if p.name, err = s.choose(processors); err != nil {
		return nil, err
	}
	cfg := tailpolicy.NewFactory().CreateDefaultConfig().(*tailpolicy.Config)
	if p.name == "" {
		p.name, p.absent = tailpolicy.NewFactory().Type().String(), true
	} else {
		own, _ := processors[p.name].(map[string]any)
		if err := confmap.NewFromStringMap(own).Unmarshal(cfg); err != nil {
			return nil, fmt.Errorf("processors::%s: %w", p.name, err)
		}
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("processors::%s: %w", p.name, err)
	}
	p.Policy, err = cfg.Policy(func(rule string) { p.failed[rule] = true })
	return p, err
}

// choose returns the id of the tailpolicy that is meant, "" if there is none.
func (s *tailSource) choose(processors map[string]any) (string, error) {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(processors)) {
		if isOf(id, tailpolicy.NewFactory().Type()) {
			ids = append(ids, id)
		}
	}
	switch {
	case s.processor != "" && !slices.Contains(ids, s.processor):
		return "", fmt.Errorf("processor must be a tailpolicy of the configuration (%s), found %q", strings.Join(ids, ", "), s.processor)
	case s.processor != "":
		return s.processor, nil
	case len(ids) > 1:
		return "", fmt.Errorf("config has several policies; name one (--processor): %s", strings.Join(ids, ", "))
	case len(ids) == 0:
		return "", nil
	}
	return ids[0], nil
}

// notes are what a reader has to know beside the explanation.
func (p *tailPolicy) notes() (out []string) {
	if p.absent {
		out = append(out, "the configuration has no tailpolicy, so it keeps everything; this is what the processor would do with its defaults")
	}
	for _, rule := range slices.Sorted(maps.Keys(p.failed)) {
		out = append(out, fmt.Sprintf("the condition of rule %s cannot be evaluated on a span; such a span does not match", rule))
	}
	return out
}
