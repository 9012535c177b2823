package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "..", "folder of the dashboards")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for name, body := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// rulesFile is where the alert rules are, under the folder of the dashboards.
const rulesFile = "provisioning/alerting/otelcol-agent.yaml"

// generate returns every file by its path under the folder of the dashboards.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, b := range boards() {
		old, err := b.classic()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.uid, err)
		}
		if files["classic/"+b.uid+".json"], err = lines(old); err != nil {
			return nil, err
		}
		resource, err := b.v2()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.uid, err)
		}
		if files["v2/"+b.uid+".json"], err = lines(resource); err != nil {
			return nil, err
		}
	}
	rules, err := ruleFile()
	if err != nil {
		return nil, err
	}
	files[rulesFile] = rules
	return files, nil
}

// lines is JSON that a diff can show.
func lines(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
