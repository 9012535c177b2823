package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	envprovider "go.opentelemetry.io/collector/confmap/provider/envprovider"
	fileprovider "go.opentelemetry.io/collector/confmap/provider/fileprovider"
	yamlprovider "go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
	"github.com/otelcol-agent/otelcol-agent/internal/loan"
)

const name = "otelcol-agent"

// version is the version of everything in this repository; a test compares it
// with builder-config.yaml.
const version = "0.1.0"

// stopLimit is less than the 30 s after which a Kubernetes kubelet kills, and more
// than receivers, tailpolicy and store take together when each uses all of its time.
const stopLimit = 25 * time.Second

// main takes SIGINT and SIGTERM itself: the collector listens to them only after
// it has started, and one that came a moment earlier would end it unflushed. A
// second signal ends the process at once. A component that does not stop cannot hold
// the process for longer than stopLimit.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		time.AfterFunc(stopLimit, func() {
			fmt.Fprintf(os.Stderr, "%s: did not stop within %s of the signal; what was not written by now may be lost\n", name, stopLimit)
			os.Exit(1)
		})
	})
	go borrow(ctx, loan.Process)
	err := newCommand().ExecuteContext(ctx)
	var usage usageError
	var masked maskedError
	var ended endedError
	switch {
	case err == nil:
	case errors.As(err, &ended):
		os.Exit(ended.code)
	case errors.As(err, &masked):
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(3)
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "%s: %v (see %s)\n", name, err, usage.help)
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// usageError is a command line that cannot be understood.
type usageError struct {
	error
	help string // command that shows the right usage
}

func (u usageError) Unwrap() error { return u.error }

func wrongUsage(cmd *cobra.Command, err error) error {
	return usageError{err, cmd.CommandPath() + " --help"}
}

// newCommand returns the stock collector command with a default configuration,
// the commands of this project, and errors told once.
func newCommand() *cobra.Command {
	set, listens := collectorSettings(), &addresses{}
	resolver := &set.ConfigProviderSettings.ResolverSettings
	resolver.ConverterFactories = append(resolver.ConverterFactories, listens.factory())
	root := otelcol.NewCommand(set)
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error { return told(listens.advise(run(cmd, args))) }
	plainFlags(root)
	root.Short = "OpenTelemetry Collector for AI agents"
	root.Long = "Runs the collector. Without --config it runs " + presets.Default + "."
	root.SilenceErrors = true
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(wrongUsage)
	root.AddCommand(connectCommand(), journalCommand(), tasksCommand(), taskCommand(), traceCommand(), searchCommand(), newSemconvCommand(), redactCommand(), storeCommand(), verifyCommand(), qualityCommand(), reviewCommand(), explainCommand())
	root.Args = noArguments(root)
	for _, sub := range root.Commands() {
		sub.SilenceUsage = true
		plainFlags(sub)
		if run := sub.RunE; run != nil {
			sub.RunE = func(cmd *cobra.Command, args []string) error { return plain(run(cmd, args)) }
		}
		positional := sub.Args
		sub.Args = func(cmd *cobra.Command, args []string) error {
			if positional == nil {
				positional = cobra.NoArgs
			}
			if err := positional(cmd, args); err != nil {
				return wrongUsage(cmd, err)
			}
			return nil
		}
	}
	root.PersistentPreRunE = defaultConfig
	return root
}

// noArguments refuses an unknown subcommand and names similar ones.
func noArguments(root *cobra.Command) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := fmt.Errorf("unknown command %q", args[0])
		if like := root.SuggestionsFor(args[0]); len(like) > 0 {
			err = fmt.Errorf("unknown command %q; did you mean %s", args[0], strings.Join(like, " or "))
		}
		return wrongUsage(root, err)
	}
}

// defaultConfig names the default preset where a configuration is wanted and
// none is given, and looks at the files that are. It is not the resolver's own default, which --set would replace.
func defaultConfig(cmd *cobra.Command, _ []string) error {
	flag := cmd.Flags().Lookup("config")
	if flag == nil {
		return nil
	}
	if flag.Changed {
		return checkConfigFiles(strings.Split(strings.Trim(flag.Value.String(), "[]"), ", "))
	}
	return cmd.Flags().Set("config", presets.Default)
}

func collectorSettings() otelcol.CollectorSettings {
	own := presets.NewFactory(presets.Settings{Getenv: os.Getenv, ReadFile: os.ReadFile})
	const module = "go.opentelemetry.io/collector/confmap/provider/"
	return otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: name, Description: "OpenTelemetry Collector for AI agents", Version: version},
		Factories: lingering(bounded(components)),
		// main's context ends it instead.
		DisableGracefulShutdown: true,
		LoggingOptions:          []zap.Option{zap.WrapCore(newConsole)},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{
					envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(), own,
				},
				// In this order, so that what is wrong with a mapper's file of dialects is told
				// once; redactors have it after that.
				ConverterFactories: []confmap.ConverterFactory{newStrictFactory(components), newDialectsFactory()},
				DefaultScheme:      "env",
			},
		},
		ProviderModules: map[string]string{
			"env":          moduleVersion(module + "envprovider"),
			"file":         moduleVersion(module + "fileprovider"),
			"yaml":         moduleVersion(module + "yamlprovider"),
			presets.Scheme: "github.com/otelcol-agent/otelcol-agent v" + version,
		},
	}
}

// moduleVersion returns a module path with the version that is linked in.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return path
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return path + " " + m.Version
		}
	}
	return path
}
