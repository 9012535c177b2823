package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/connect"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// connectCommand prints what points an agent here, and waits for its first event.
func connectCommand() *cobra.Command {
	var target connect.Target
	var check bool
	var dsn string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "connect [AGENT]",
		Short: "Settings that point a coding agent here; --check waits for its first event",
		Long: "Prints the environment variables or the settings that point a coding agent at the\n" +
			"collector, with the flags that would send content left off. Without AGENT it lists\n" +
			"the agents. It changes nothing.\n\n" +
			"With --check it waits until something of the agent, or of any agent, is in the store\n" +
			"of the running collector, and says what. Start it, then use the agent. It exits with\n" +
			"0 if something came, 1 if nothing did or no collector listens, and 2 if the command\n" +
			"line is wrong.",
		Example: "  otelcol-agent connect\n  eval \"$(otelcol-agent connect AGENT)\"\n  otelcol-agent connect --check AGENT",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target.Token = target.Token || target.TokenFile != ""
			if err := target.Validate(); err != nil {
				return wrongUsage(cmd, err)
			}
			if timeout <= 0 {
				return wrongUsage(cmd, fmt.Errorf("timeout must be longer than 0s, found %v", timeout))
			}
			var agent *semconv.Agent
			if len(args) == 1 {
				var ok bool
				if agent, ok = semconv.FindAgent(args[0]); !ok {
					return wrongUsage(cmd, fmt.Errorf("agent %q is not known; known are %s", args[0], agentNames()))
				}
			}
			switch {
			case check:
				return waitFor(cmd.Context(), watch{agent: agent, endpoint: target.Endpoint, dsn: dsn, timeout: timeout, now: time.Now, every: time.Second / 2}, cmd.OutOrStdout(), cmd.ErrOrStderr())
			case agent == nil:
				return listAgents(cmd.OutOrStdout())
			}
			text, err := connect.Settings(agent, target)
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&target.Endpoint, "endpoint", "http://127.0.0.1:4318", "where the collector takes OTLP/HTTP")
	flags.BoolVar(&target.Token, "token", false, "the collector asks for a bearer token")
	flags.StringVar(&target.TokenFile, "token-file", "", "file that holds the token; it is read by the shell, not by this command")
	flags.StringVar(&target.CA, "ca", "", "PEM file of the collector's private CA")
	flags.StringVar(&target.Cert, "cert", "", "PEM file of the agent's certificate")
	flags.StringVar(&target.Key, "key", "", "PEM file of its key")
	flags.BoolVar(&check, "check", false, "wait for the first event and say what arrived")
	flags.DurationVar(&timeout, "timeout", 2*time.Minute, "with --check, how long to wait")
	flags.StringVar(&dsn, "store", "", "with --check, the collector's store (default $"+storeVariable+", else the one in the user's data folder)")
	return cmd
}

func agentNames() string {
	var names []string
	for _, a := range semconv.Agents() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// listAgents writes the agents that send telemetry as a table, and below it what to do
// about the others, which takes a sentence.
func listAgents(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var others strings.Builder
	for _, a := range semconv.Agents() {
		if a.Sends != "" {
			fmt.Fprintf(w, "%s\t%s\t%s\n", a.Name, a.Title, a.Sends)
			continue
		}
		fmt.Fprintf(&others, "\n%s (%s)\n%s", a.Name, a.Title, listing.Wrap(a.Instead, "  ", 100))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, others.String())
	return err
}
