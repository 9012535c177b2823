package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// explainCommand tells why a run would be kept or dropped.
func explainCommand() *cobra.Command {
	var dsn, tenant, format string
	var source tailSource
	cmd := &cobra.Command{
		Use:   "explain FILE|TASK",
		Short: "Tell rule by rule why a run would be kept or dropped",
		Long: "Replays a recorded run through the tailpolicy of a configuration and tells which\n" +
			"classes protect it and by which span, which rules match, how its number stands\n" +
			"against the baseline, and what comes of it.\n\n" +
			"FILE is OTLP/JSON (one request or one a line, spans and log records) or an OTLP\n" +
			"protobuf of spans, as the processor gets them: mapped and redacted, such as the file\n" +
			"exporter writes. - is standard input. Anything that is no file is looked for in the\n" +
			"store: a task id, a trace id, or six or more digits of one. A stored run has been\n" +
			"sampled already; its weight counts as that of an upstream sampler.\n\n" +
			"What is slow is learned from the runs of the file alone; no quota is used up.",
		Example: "  otelcol-agent explain traces.json --config gateway.yaml\n  otelcol-agent explain t-deploy --format json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			in, err := recorded(cmd, args[0], dsn, tenant)
			if err != nil {
				return err
			}
			policy, err := source.load(cmd.Context())
			if err != nil {
				return err
			}
			runs, err := tail.Explain(policy.Policy, in.traces, in.logs)
			if err != nil {
				return fmt.Errorf("%s: %w", listing.Inert(args[0]), err)
			}
			if len(runs) == 0 {
				return fmt.Errorf("%s: has no span and no record that names a run", listing.Inert(args[0]))
			}
			notes := policy.notes()
			if !in.mapped() {
				notes = append(notes, "nothing in it was mapped, and classes are read from mapped attributes: record what comes out of the genaimapper")
			}
			if format == "json" {
				for _, n := range notes {
					fmt.Fprintln(cmd.ErrOrStderr(), "note:", n)
				}
				return listing.WriteJSON(cmd.OutOrStdout(), struct {
					Policy string             `json:"policy"`
					Runs   []tail.Explanation `json:"runs"`
				}{policy.name, runs})
			}
			return writeExplained(cmd.OutOrStdout(), policy, notes, runs)
		},
	}
	addCommon(cmd, &dsn, &format)
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant that the task belongs to (default the only one that has it)")
	cmd.Flags().Var(&source.configs, "config", "configuration whose tailpolicy is asked; may be given several times (default "+source.standard()+")")
	cmd.Flags().StringVar(&source.processor, "processor", "", "which tailpolicy of the configuration, if it has several: tailpolicy/NAME")
	return cmd
}

// recording is what was read of a run or of several.
type recording struct {
	traces ptrace.Traces
	logs   plog.Logs
}

// recorded reads a file, standard input, or the store.
func recorded(cmd *cobra.Command, name, dsn, tenant string) (recording, error) {
	if name == "-" {
		return readRecording(name, cmd.InOrStdin())
	}
	f, err := os.Open(name) // #nosec G304 -- the user names the file
	switch {
	case err == nil:
		defer f.Close()
		return readRecording(name, f)
	case !errors.Is(err, os.ErrNotExist) || filepath.IsAbs(name) || strings.HasPrefix(name, "."): // ids may have slashes
		return recording{}, err
	}
	return storedRecording(cmd.Context(), name, dsn, tenantOf(cmd, tenant))
}

func storedRecording(ctx context.Context, id, dsn string, q evidence.Query) (recording, error) {
	reader, err := openReader(ctx, dsn)
	if err != nil {
		return recording{}, fmt.Errorf("%s is no file here; %w", listing.Inert(id), err)
	}
	defer reader.Close()
	run, err := review.Find(ctx, reader, q, id, nil)
	if errors.Is(err, evidence.ErrNotFound) {
		return recording{}, fmt.Errorf("%s, and no file is called so; `%s tasks` lists what is there", listing.Inert(err.Error()), name)
	}
	if err != nil {
		return recording{}, err
	}
	td, err := evidence.ToTraces(run.Spans)
	if err != nil {
		return recording{}, err
	}
	ld, err := evidence.ToLogs(run.Records)
	return recording{td, ld}, err
}

// maxRecording is how many bytes of a file are read.
const maxRecording = 1 << 30

func readRecording(name string, r io.Reader) (recording, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRecording+1))
	switch {
	case err != nil:
		return recording{}, fmt.Errorf("%s: %w", listing.Inert(name), err)
	case len(data) > maxRecording:
		return recording{}, fmt.Errorf("%s: must have at most %d bytes", listing.Inert(name), maxRecording)
	}
	in, err := parseRecording(data)
	if err != nil {
		return recording{}, fmt.Errorf("%s: %w", listing.Inert(name), err)
	}
	return in, nil
}
