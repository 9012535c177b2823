package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	envprovider "go.opentelemetry.io/collector/confmap/provider/envprovider"
	fileprovider "go.opentelemetry.io/collector/confmap/provider/fileprovider"
	yamlprovider "go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-agent/otelcol-agent/internal/keyfile"
	"github.com/otelcol-agent/otelcol-agent/internal/redact"
	"github.com/otelcol-agent/otelcol-agent/processor/redactor"
)

// policySource says where a policy is: in a file with the keys of one redactor,
// or in the configuration of a collector.
type policySource struct{ file, redactor string }

// load compiles the redactor's defaults with what the file says over them. With
// exact the tokens must be those of the boundary; else, if it has no key, note
// says that they are of this run alone.
func (s policySource) load(ctx context.Context, exact bool) (policy *redact.Policy, note string, err error) {
	cfg := redactor.NewFactory().CreateDefaultConfig().(*redactor.Config)
	standard := cfg.DigestKeyFile
	if s.file == "" && s.redactor != "" {
		return nil, "", errors.New("redactor is which of those in --policy, which was not given")
	}
	if s.file != "" {
		conf, err := s.read(ctx)
		if err != nil {
			return nil, "", err
		}
		if err := conf.Unmarshal(cfg); err != nil {
			return nil, "", fmt.Errorf("%s: %w", s.file, err)
		}
		if err := cfg.Validate(); err != nil {
			return nil, "", fmt.Errorf("%s: %w", s.file, err)
		}
	}
	key := rand.Text() + rand.Text()
	if cfg.DigestKey == "" {
		found, err := existingKey(cfg.DigestKeyFile)
		switch {
		case err == nil:
			key = found
		case !errors.Is(err, fs.ErrNotExist):
			return nil, "", err
		case exact || cfg.DigestKeyFile != standard:
			return nil, "", fmt.Errorf("digest_key_file %s: no key is there; name the file of the boundary (digest_key_file), or its key (digest_key)", cfg.DigestKeyFile)
		default:
			if s.file == "" {
				break // nobody asked for the tokens of a boundary
			}
			note = "the policy has no digest_key and no key is at " + cfg.DigestKeyFile + "; tokens are of this run alone"
		}
	}
	policy, err = cfg.Policy(key)
	return policy, note, err
}

// existingKey reads a key file and makes none: a key that the boundary does not
// have is worth nothing.
func existingKey(path string) (string, error) {
	if path == "" {
		return "", fs.ErrNotExist
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("digest_key_file: %w", err)
	}
	return keyfile.Load(path, rand.Reader)
}

// read resolves the file, ${env:…} included, and returns the part that is a
// redactor's. What a resolver says of a file may hold a part of it, and is not
// passed on.
func (s policySource) read(ctx context.Context) (*confmap.Conf, error) {
	if _, err := os.Stat(s.file); err != nil {
		return nil, err
	}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:               []string{"file:" + s.file},
		ProviderFactories:  []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory()},
		ConverterFactories: []confmap.ConverterFactory{newDialectsFactory()},
		DefaultScheme:      "env",
	})
	if err != nil {
		return nil, err
	}
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: must be YAML with keys of the redactor, or a collector's configuration", s.file)
	}
	if !conf.IsSet("processors") {
		if s.redactor != "" {
			return nil, fmt.Errorf("%s: has no processors, of which --redactor could name one", s.file)
		}
		return conf, nil
	}
	processors, _ := conf.Get("processors").(map[string]any)
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(processors)) {
		if isOf(id, redactor.NewFactory().Type()) {
			ids = append(ids, id)
		}
	}
	wanted := s.redactor
	switch {
	case len(ids) == 0:
		return nil, fmt.Errorf("%s: processors must have a redactor, found none", s.file)
	case wanted == "" && len(ids) > 1:
		return nil, fmt.Errorf("%s: has several redactors; name one (--redactor): %s", s.file, strings.Join(ids, ", "))
	case wanted == "":
		wanted = ids[0]
	case !slices.Contains(ids, wanted):
		return nil, fmt.Errorf("%s: redactor must be one of %s, found %q", s.file, strings.Join(ids, ", "), wanted)
	}
	own, _ := processors[wanted].(map[string]any)
	return confmap.NewFromStringMap(own), nil
}
