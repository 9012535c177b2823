package main

import (
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// checkConfigFiles names the file among the values of --config that is no
// configuration: the collector tells what is wrong and not where. What is not there it
// tells itself, and a pipe can be read but once.
func checkConfigFiles(values []string) error {
	for _, value := range values {
		path := strings.TrimPrefix(value, "file:")
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		b, err := os.ReadFile(path) // #nosec G304 -- the user names the file
		if err != nil {
			continue
		}
		var content any
		if err := yaml.Unmarshal(b, &content); err != nil {
			return fmt.Errorf("config %s: %w", path, err)
		}
		switch content.(type) {
		case nil, map[string]any:
		default:
			return fmt.Errorf("config %s must hold keys such as receivers or processors, found no key", path)
		}
	}
	return nil
}
