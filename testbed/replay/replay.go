package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Request is one file of a folder.
type Request struct {
	Path   string
	Signal string // traces, logs or metrics
	Body   []byte
}

var signals = map[string]string{"resourceSpans": "traces", "resourceLogs": "logs", "resourceMetrics": "metrics"}

// Parse reads what signal a request is of.
func Parse(path string, body []byte) (Request, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		return Request{}, fmt.Errorf("%s: %w", path, err)
	}
	for key, signal := range signals {
		if _, ok := keys[key]; ok {
			return Request{Path: path, Signal: signal, Body: body}, nil
		}
	}
	return Request{}, fmt.Errorf("%s: must have a key resourceSpans, resourceLogs or resourceMetrics", path)
}

// Read reads a file, or every .json file of a folder in the order of names.
func Read(path string) ([]Request, error) {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
			return nil, err
		}
		sort.Strings(files)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: holds no .json file", path)
	}
	var out []Request
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r, err := Parse(file, body)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Send posts a request to endpoint, such as http://127.0.0.1:4318. It returns
// when the collector has acknowledged all of it.
func Send(ctx context.Context, endpoint string, r Request) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(endpoint, "/")+"/v1/"+r.Signal, bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answered %s: %s", r.Path, resp.Status, answer)
	}
	var partial struct {
		PartialSuccess map[string]any `json:"partialSuccess"`
	}
	if err := json.Unmarshal(answer, &partial); err != nil {
		return fmt.Errorf("%s: answer: %w", r.Path, err)
	}
	if len(partial.PartialSuccess) > 0 {
		return fmt.Errorf("%s: accepted in part: %s", r.Path, answer)
	}
	return nil
}

// SendAll posts requests one after the other.
func SendAll(ctx context.Context, endpoint string, requests []Request) error {
	for _, r := range requests {
		if err := Send(ctx, endpoint, r); err != nil {
			return err
		}
	}
	return nil
}
