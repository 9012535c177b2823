package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"
	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/preview"
	"github.com/otelcol-agent/otelcol-agent/internal/redact"
	"github.com/otelcol-agent/otelcol-agent/processor/redactor"
)

// maskedError says that --check found something.
type maskedError int64

func (m maskedError) Error() string { return preview.Amount(int64(m)) + " would be masked" }

// redactCommand shows what the redactor would replace.
func redactCommand() *cobra.Command {
	var policyFile, format string
	var check bool
	cmd := &cobra.Command{
		Use:   "redact [FILE]",
		Short: "Show what would be masked in a file, without showing it",
		Long: "Reads FILE, or standard input if there is none or it is -, and prints what the\n" +
			"redactor would replace and by which rule, never the value. OTLP/JSON is told by\n" +
			"position, as one request or one a line; it is not mapped first. Everything else\n" +
			"is a text, of which the detectors alone judge, told by line and column.\n" +
			"Equal values have equal tokens inside one run, unless the policy has a digest_key.",
		Example: "  otelcol-agent redact < session.log\n  otelcol-agent redact --policy redactor.yaml --check traces.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			policy, err := loadPolicy(policyFile)
			if err != nil {
				return err
			}
			in := cmd.InOrStdin()
			if len(args) == 1 && args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			report, err := preview.Read(policy, in)
			if err != nil {
				return err
			}
			if err := writePreview(cmd.OutOrStdout(), report, format); err != nil {
				return err
			}
			if check && report.Values > 0 {
				return maskedError(report.Values)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&policyFile, "policy", "", "YAML file with the keys of the redactor that differ from its defaults")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&check, "check", false, "exit with 3 if anything would be masked")
	return cmd
}

func writePreview(w io.Writer, r preview.Report, format string) error {
	if format == "json" {
		return listing.WriteJSON(w, r)
	}
	return preview.WriteText(w, r)
}

// loadPolicy compiles the redactor's defaults with a file over them. The key is
// made for this run alone if the file has none: the tokens are for reading, and
// whoever has the collector's key need not be the one who reads.
func loadPolicy(path string) (*redact.Policy, error) {
	cfg := redactor.NewFactory().CreateDefaultConfig().(*redactor.Config)
	if path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var keys map[string]any
		if err := yaml.NewDecoder(bytes.NewReader(b)).Decode(&keys); err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: must be YAML with keys of the redactor", path)
		}
		if err := confmap.NewFromStringMap(keys).Unmarshal(cfg); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := cfg.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return cfg.Policy(rand.Text() + rand.Text())
}
