package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.opentelemetry.io/collector/confmap"
)

// addresses is a converter that changes nothing and remembers which key gives which
// port, to name the one that is taken.
type addresses struct {
	keys map[int][]string // by port
}

func (a *addresses) factory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter { return a })
}

// Convert reads the configuration.
func (a *addresses) Convert(_ context.Context, conf *confmap.Conf) error {
	a.keys = map[int][]string{}
	a.read(conf.ToStringMap(), nil)
	return nil
}

// read finds host:port below keys named endpoint, and a host beside a port. Items of a
// list have no key of their own: the list's is remembered.
func (a *addresses) read(v any, path []string) {
	add := func(port int, path []string) {
		a.keys[port] = append(a.keys[port], strings.Join(path, confmap.KeyDelimiter))
	}
	switch v := v.(type) {
	case map[string]any:
		if port, ok := v["port"].(int); ok && v["host"] != nil {
			add(port, path)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := append(slices.Clone(path), key)
			if text, ok := v[key].(string); ok && key == "endpoint" {
				if _, port, err := net.SplitHostPort(text); err == nil {
					if n, err := strconv.Atoi(port); err == nil {
						add(n, at)
					}
				}
			}
			a.read(v[key], at)
		}
	case []any:
		inside := &addresses{keys: map[int][]string{}}
		for _, item := range v {
			inside.read(item, nil)
		}
		for port := range inside.keys {
			add(port, path)
		}
	}
}

// advise adds to the error of a port that is taken which setting names it.
func (a *addresses) advise(err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	const end = "another program listens there, perhaps another " + name + ": end it, or give this one an address of its own"
	taken, ok := errors.AsType[*net.OpError](err)
	if !ok || taken.Addr == nil {
		return fmt.Errorf("%w; %s", err, end)
	}
	_, text, _ := net.SplitHostPort(taken.Addr.String())
	port, _ := strconv.Atoi(text)
	for _, key := range a.keys[port] {
		switch {
		case strings.HasPrefix(key, "service"+confmap.KeyDelimiter):
			return fmt.Errorf("%w; %s in %s, or have no metrics of its own: --set=service::telemetry::metrics::level=none", err, end, key)
		case !strings.HasPrefix(key, "receivers") && !strings.HasPrefix(key, "exporters") && !strings.HasPrefix(key, "extensions"):
			continue
		}
		return fmt.Errorf("%w; %s: --set=%s=127.0.0.1:%d", err, end, key, another(port))
	}
	return fmt.Errorf("%w; %s", err, end)
}

// another is a port to suggest instead of one.
func another(port int) int {
	if port+10000 > 65535 {
		return port - 10000
	}
	return port + 10000
}
