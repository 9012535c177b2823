package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"
)

var fake = component.MustNewType("fake")

// receivers of all signals whose Shutdown is the test's; the consumers they were
// given are in next.
type receivers struct {
	receiver.Factory
	traces  consumer.Traces
	metrics consumer.Metrics
	logs    consumer.Logs
}

type stoppable struct {
	component.StartFunc
	component.ShutdownFunc
}

func newReceivers(stop component.ShutdownFunc) *receivers {
	r := &receivers{}
	const level = component.StabilityLevelAlpha
	r.Factory = boundFactory(receiver.NewFactory(fake, func() component.Config { return &struct{}{} },
		receiver.WithTraces(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Traces) (receiver.Traces, error) {
			r.traces = next
			return stoppable{ShutdownFunc: stop}, nil
		}, level),
		receiver.WithMetrics(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Metrics) (receiver.Metrics, error) {
			r.metrics = next
			return stoppable{ShutdownFunc: stop}, nil
		}, level),
		receiver.WithLogs(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Logs) (receiver.Logs, error) {
			r.logs = next
			return stoppable{ShutdownFunc: stop}, nil
		}, level)))
	return r
}

// create makes one receiver a signal under one component id.
func (r *receivers) create(t *testing.T) []component.Component {
	t.Helper()
	cfg, set, sink := &struct{ int }{}, receivertest.NewNopSettings(fake), consumertest.NewNop()
	traces, err := r.CreateTraces(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	metrics, err := r.CreateMetrics(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	logs, err := r.CreateLogs(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	all := []component.Component{traces, metrics, logs}
	for _, c := range all {
		require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	}
	return all
}

// send is what a receiver does with data of every signal.
func (r *receivers) send() []error {
	ctx := context.Background()
	return []error{
		r.traces.ConsumeTraces(ctx, ptrace.NewTraces()),
		r.metrics.ConsumeMetrics(ctx, pmetric.NewMetrics()),
		r.logs.ConsumeLogs(ctx, plog.NewLogs()),
	}
}

func TestAReceiverThatDoesNotStopIsShutOut(t *testing.T) {
	forever := make(chan struct{})
	for name, stop := range map[string]component.ShutdownFunc{
		"deaf": func(context.Context) error { <-forever; return nil },
		"lets connections be, like an HTTP server": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				forever = make(chan struct{})
				r := newReceivers(stop)
				all := r.create(t)
				require.Equal(t, []error{nil, nil, nil}, r.send())
				began := time.Now()
				for _, c := range all {
					require.NoError(t, c.Shutdown(t.Context()))
				}
				require.LessOrEqual(t, time.Since(began), patience+2*lastWord, "one patience for all signals of an id")
				for _, err := range r.send() {
					require.ErrorIs(t, err, errStopping)
					require.False(t, consumererror.IsPermanent(err))
				}
				close(forever)
			})
		})
	}
}

func TestAReceiverThatStopsIsLeftAlone(t *testing.T) {
	failed := errors.New("the port is on fire")
	for _, want := range []error{nil, failed} {
		synctest.Test(t, func(t *testing.T) {
			r := newReceivers(func(context.Context) error { time.Sleep(2 * time.Second); return want })
			for _, c := range r.create(t)[:1] {
				require.ErrorIs(t, c.Shutdown(t.Context()), want)
			}
		})
	}
}

func TestEveryReceiverOfTheBinaryHasADoor(t *testing.T) {
	plain, err := components()
	require.NoError(t, err)
	f, err := collectorSettings().Factories()
	require.NoError(t, err)
	require.Len(t, f.Receivers, len(plain.Receivers))
	for id, r := range f.Receivers {
		_, with := plain.Receivers[id].(xreceiver.Factory)
		_, still := r.(xreceiver.Factory)
		require.Equal(t, with, still, "%s: profiles", id)
		require.Equal(t, plain.Receivers[id].Type(), r.Type())
		switch r.(type) {
		case boundedFactory, boundedProfiles:
		default:
			t.Errorf("%s is not bounded", id)
		}
	}
}
