package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/preview"
	"github.com/otelcol-agent/otelcol-agent/internal/redact"
)

// maskedError says that --check found something.
type maskedError int64

func (m maskedError) Error() string { return preview.Amount(int64(m)) + " would be masked" }

// redactCommand shows what the redactor would replace.
func redactCommand() *cobra.Command {
	var source policySource
	var format, tenant string
	var check, value bool
	cmd := &cobra.Command{
		Use:   "redact [FILE]",
		Short: "Show what would be masked in a file, without showing it",
		Long: "Reads FILE, or standard input if there is none or it is -, and prints what the\n" +
			"redactor would replace and by which rule, never the value. OTLP/JSON is told by\n" +
			"position and key, as one request or one a line; it is not mapped first.\n" +
			"Everything else is a text, of which the detectors alone judge, told by line and\n" +
			"column.\n\n" +
			"The policy is a file with the keys of a redactor, or the configuration of a\n" +
			"collector. Tokens are those of its boundary if its digest_key or digest_key_file,\n" +
			"or else the default key file, can be read; else equal values have equal\n" +
			"tokens inside one run. No key is made.\n\n" +
			"With --value the input, without the end of its line, is one value, such as an\n" +
			"e-mail address or an id; its token is printed, to be looked for or erased.",
		Example: "  otelcol-agent redact < session.log\n  otelcol-agent redact --policy collector.yaml --check traces.json\n" +
			"  otelcol-agent redact --policy collector.yaml --value --tenant acme < address.txt",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			if tenant != "" && !value {
				return wrongUsage(cmd, errors.New("tenant is for --value: a file has the tenants of its resources"))
			}
			policy, note, err := source.load(cmd.Context(), value)
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
			if value {
				return writeToken(cmd.OutOrStdout(), policy, tenant, in)
			}
			report, err := preview.Read(policy, in)
			if err != nil {
				return err
			}
			if err := writePreview(cmd.OutOrStdout(), report, format); err != nil {
				return err
			}
			if note != "" && report.Values > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "note:", note)
			}
			if report.Doubt != "" {
				doubtful := errors.New(report.Doubt + "; it was read as a plain text, in which prompts and ids of people are not found")
				if check {
					return doubtful
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", doubtful)
			}
			if check && report.Values > 0 {
				return maskedError(report.Values)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&source.file, "policy", "", "YAML file with the keys of the redactor that differ from its defaults, or a collector's configuration")
	cmd.Flags().StringVar(&source.redactor, "redactor", "", "which redactor of the configuration, if it has several: redactor/NAME")
	cmd.Flags().BoolVar(&value, "value", false, "print the token of the whole input as one value")
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant whose key --value uses: what tenant_key of the resource holds")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&check, "check", false, "exit with 3 if anything would be masked, with 1 if the input cannot be judged")
	return cmd
}

func writePreview(w io.Writer, r preview.Report, format string) error {
	if format == "json" {
		return listing.WriteJSON(w, r)
	}
	return preview.WriteText(w, r)
}

// maxOne is how many bytes one value may have.
const maxOne = redact.DefaultMaxValueBytes

// writeToken prints what stands for the input as one value.
func writeToken(w io.Writer, policy *redact.Policy, tenant string, in io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(in, maxOne+1))
	if err != nil {
		return fmt.Errorf("read the input: %w", err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if value == "" || len(b) > maxOne || strings.Contains(value, "\n") {
		return fmt.Errorf("value must be one line of at most %d bytes", maxOne)
	}
	_, err = fmt.Fprintln(w, policy.Token(tenant, value))
	return err
}
