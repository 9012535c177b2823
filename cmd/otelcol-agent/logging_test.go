package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
)

// clock is a clock that a test turns.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time                       { return c.now }
func (*clock) NewTicker(d time.Duration) *time.Ticker { return time.NewTicker(d) }

func TestThatNothingIsSentIsSaidOnceInAWhile(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	at := &clock{time.Unix(1_800_000_000, 0)}
	log := zap.New(core, append(collectorSettings().LoggingOptions, zap.WithClock(at))...)
	one, other := log.With(zap.String("component", "one")), log.With(zap.String("component", "other"))
	for range 90 {
		one.Info(willRetry, zap.Error(errors.New("connection refused")))
		one.Error(rejecting)
		one.Info("another message of that level")
		at.now = at.now.Add(time.Second)
	}
	other.Error(rejecting)
	var said []string
	for _, e := range logged.All() {
		require.GreaterOrEqual(t, e.Level, zapcore.WarnLevel)
		fields := e.ContextMap()
		said = append(said, e.Message)
		want := int64(1)
		if len(said) == 3 || len(said) == 4 {
			want = 60
		}
		require.Equal(t, want, fields["times"], "how often it happened since")
	}
	require.Equal(t, []string{willRetry, rejecting, willRetry, rejecting, rejecting}, said, "each component for itself")
}

func TestWhatIsRetriedIsNotSaidToWhoWantsErrorsOnly(t *testing.T) {
	core, logged := observer.New(zapcore.ErrorLevel)
	log := zap.New(core, collectorSettings().LoggingOptions...)
	log.Info(willRetry)
	log.Warn(dropped)
	require.Zero(t, logged.Len())
}

func TestAStopIsNoLossForAQueueOnDisk(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	log := zap.New(core, collectorSettings().LoggingOptions...)
	log.Error(dropping, zap.Error(errors.New("interrupted due to shutdown: connection refused")))
	require.Contains(t, logged.All()[0].ContextMap()["note"], "kept for the next start")
}

func TestACertificateThatIsNotTrustedComesWithAdvice(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	log := zap.New(core, collectorSettings().LoggingOptions...)
	log.Info(willRetry, zap.Error(errors.New("Post: tls: failed to verify certificate: x509: certificate signed by unknown authority")))
	log.Error(rejecting, zap.Error(errors.New("connection refused")))
	require.Contains(t, logged.All()[0].ContextMap()["advice"], presets.GatewayCAVariable)
	require.NotContains(t, logged.All()[1].ContextMap(), "advice")
	for _, channel := range []string{"[Channel #1]", "[Channel #3]"} {
		log.Warn("[core] " + channel + " grpc: addrConn.createTransport failed to connect to {}. Err: x509: certificate signed by unknown authority")
	}
	require.Equal(t, 3, logged.Len(), "once for all channels")
	require.Contains(t, logged.All()[2].ContextMap()["advice"], presets.GatewayCAVariable)
}

func TestPeersThatCannotTalkAreNoFlood(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	log := zap.New(core, append(collectorSettings().LoggingOptions, zap.AddStacktrace(zapcore.ErrorLevel))...)
	for range 3 {
		log.Error("http: TLS handshake error from 127.0.0.1:33464: remote error: tls: bad certificate")
	}
	log.Error("http: panic serving")
	require.Equal(t, 2, logged.Len())
	require.Equal(t, zapcore.WarnLevel, logged.All()[0].Level)
	require.Empty(t, logged.All()[0].Stack)
	require.Equal(t, zapcore.ErrorLevel, logged.All()[1].Level, "of the collector itself")
	require.NotEmpty(t, logged.All()[1].Stack)
}
