package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	var dsn, shell, format string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "connect [AGENT]",
		Short: "Settings that point a coding agent here; --check waits for its first event",
		Long: "Prints the environment variables or the settings that point a coding agent at the\n" +
			"collector, with the flags that would send content left off. Without AGENT it lists\n" +
			"the agents. It changes nothing. A shell may read what it prints: it sets variables and\n" +
			"makes folders; the text of a settings file is for you.\n\n" +
			"With --check it waits until something of the agent, or of any agent, is in the store\n" +
			"of the running collector, and says what. Start it, then use the agent; what is dated\n" +
			"before it began does not count. It exits with 0 if something came, 1 if nothing did or\n" +
			"no collector listens, and 2 if the command line is wrong.",
		Example: "  otelcol-agent connect\n  eval \"$(otelcol-agent connect AGENT)\"\n  otelcol-agent connect AGENT --shell fish | source\n" +
			"  otelcol-agent connect AGENT --shell powershell | Out-String | Invoke-Expression\n  otelcol-agent connect --check AGENT",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target.Token = target.Token || target.TokenFile != ""
			if err := target.Validate(); err != nil {
				return wrongUsage(cmd, err)
			}
			if timeout <= 0 {
				return wrongUsage(cmd, fmt.Errorf("timeout must be longer than 0s, found %v", timeout))
			}
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			sh, ok := shellOf(shell)
			if !ok {
				return wrongUsage(cmd, fmt.Errorf("shell must be %s, found %q", oneOf(shellNames()), shell))
			}
			var agent *semconv.Agent
			if len(args) == 1 {
				if agent, ok = semconv.FindAgent(args[0]); !ok {
					return wrongUsage(cmd, fmt.Errorf("agent %q is not known; known are %s", args[0], agentNames()))
				}
			}
			if err := settle(&target); err != nil {
				return err
			}
			switch {
			case check:
				return waitFor(cmd.Context(), watch{agent: agent, target: target, dsn: dsn, timeout: timeout, now: time.Now, every: time.Second / 2, format: format},
					cmd.OutOrStdout(), cmd.ErrOrStderr())
			case agent == nil:
				all, err := allSettings(target)
				if err != nil {
					return err
				}
				return writeFacts(cmd, format, all, func() string { return agentList(all) })
			}
			s, err := connect.Of(agent, target)
			if err != nil {
				return err
			}
			return writeFacts(cmd, format, s, func() string { return sh.Script(s) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&target.Endpoint, "endpoint", "http://127.0.0.1:4318", "where the collector takes OTLP/HTTP")
	flags.BoolVar(&target.Token, "token", false, "the collector asks for a bearer token")
	flags.StringVar(&target.TokenFile, "token-file", "", "file that holds the token; the shell reads it when it reads the settings, --check reads it itself")
	flags.StringVar(&target.CA, "ca", "", "PEM file of the collector's private CA")
	flags.StringVar(&target.Cert, "cert", "", "PEM file of the agent's certificate")
	flags.StringVar(&target.Key, "key", "", "PEM file of its key")
	flags.StringVar(&shell, "shell", connect.POSIX.Name, "shell that reads the settings: "+oneOf(shellNames()))
	flags.StringVar(&format, "format", "text", oneOf(nil))
	flags.BoolVar(&check, "check", false, "wait for the first event and say what arrived")
	flags.DurationVar(&timeout, "timeout", 2*time.Minute, "with --check, how long to wait")
	flags.StringVar(&dsn, "store", "", "with --check, the collector's store (default $"+storeVariable+", else the one in the user's data folder)")
	return cmd
}

// settle makes paths absolute, because an agent is started elsewhere, and adds those
// of this machine.
func settle(t *connect.Target) error {
	for _, file := range []*string{&t.TokenFile, &t.CA, &t.Cert, &t.Key} {
		if *file == "" {
			continue
		}
		path, err := filepath.Abs(*file)
		if err != nil {
			return err
		}
		*file = path
	}
	var err error
	if t.Journals, err = journalFolder(os.Getenv); err != nil {
		return err
	}
	if t.Program, err = os.Executable(); err != nil {
		t.Program = name
	}
	return nil
}

func shellOf(name string) (connect.Shell, bool) {
	i := slices.Index(shellNames(), name)
	if i < 0 {
		return connect.Shell{}, false
	}
	return connect.Shells[i], true
}

func shellNames() []string {
	var names []string
	for _, sh := range connect.Shells {
		names = append(names, sh.Name)
	}
	return names
}

func agentNames() string {
	var names []string
	for _, a := range semconv.Agents() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// allSettings has the settings of all agents.
func allSettings(t connect.Target) ([]connect.Settings, error) {
	var all []connect.Settings
	for i := range semconv.Agents() {
		s, err := connect.Of(&semconv.Agents()[i], t)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// agentList has the agents with what arrives of them as a table, and below it what to do
// about those of which nothing does.
func agentList(all []connect.Settings) string {
	var table, others strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, s := range all {
		switch {
		case s.Sends != "":
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Agent, s.Title, s.Sends)
		case s.Writes != "":
			fmt.Fprintf(w, "%s\t%s\ta journal: %s\n", s.Agent, s.Title, s.Writes)
		default:
			fmt.Fprintf(&others, "\n%s (%s)\n%s", s.Agent, s.Title, listing.Wrap(s.Instead, "  ", 100))
		}
	}
	_ = w.Flush() // into memory
	return table.String() + others.String()
}
