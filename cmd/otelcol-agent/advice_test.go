package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

func TestAnErrorOfTheConfigurationIsToldWithoutTheStepsOfTheCollector(t *testing.T) {
	cause := errors.New("receivers::otlp::endpont is no key of this component")
	err := fmt.Errorf("failed to get config: cannot resolve the configuration: cannot convert the confmap.Conf: %w", cause)
	require.EqualError(t, told(err), cause.Error())
	require.ErrorIs(t, told(err), cause)
	require.EqualError(t, told(errors.New("x: failed to get config: y")), "x: failed to get config: y")
	require.NoError(t, told(nil))
}

// The real extension is asked, so that a new word of it is noticed.
func TestStateThatAnotherProcessHoldsIsToldAsThat(t *testing.T) {
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory, cfg.Timeout = t.TempDir(), 10*time.Millisecond
	ext, err := factory.Create(context.Background(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	id := component.MustNewID("genaimapper")
	first, err := ext.(storage.Extension).GetClient(context.Background(), component.KindProcessor, id, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Close(context.Background())) }()
	_, err = ext.(storage.Extension).GetClient(context.Background(), component.KindProcessor, id, "")
	require.Error(t, err)
	err = told(fmt.Errorf("cannot start pipelines: failed to start \"genaimapper\" processor: storage: %w", err))
	require.ErrorContains(t, err, "perhaps another otelcol-agent: end it, or give this one a store of its own: OTELCOL_AGENT_STORE=FILE")
}

func TestTheHelpListsNoFeatureGates(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"validate", "--help"}, {"print-config", "--help"}} {
		cmd := newCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetArgs(args)
		require.NoError(t, cmd.Execute())
		require.Contains(t, out.String(), "--config FILE")
		require.NotContains(t, out.String(), "(default -")
		require.NotContains(t, out.String(), "(default [")
	}
}
