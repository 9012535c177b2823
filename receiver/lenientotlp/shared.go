package lenientotlp

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/receiver"
)

// shared has one server for a component id: the collector makes a receiver for each
// signal, and all of one id have one configuration.
type shared struct {
	mu      sync.Mutex
	servers map[*Config]*once
}

func newShared() *shared { return &shared{servers: map[*Config]*once{}} }

// with returns the server of a configuration, after set has told it a consumer.
func (s *shared) with(set receiver.Settings, cfg *Config, tell func(*server)) (component.Component, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.servers[cfg]
	if o == nil {
		made, err := newServer(set, cfg)
		if err != nil {
			return nil, err
		}
		o = &once{server: made, gone: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.servers, cfg)
		}}
		s.servers[cfg] = o
	}
	tell(o.server)
	return o, nil
}

// once starts and stops a server once, however many signals ask for it.
type once struct {
	server      *server
	gone        func()
	start, stop sync.Once
	startErr    error
	stopErr     error
}

// Start starts the server; every caller learns how that went.
func (o *once) Start(ctx context.Context, host component.Host) error {
	o.start.Do(func() { o.startErr = o.server.start(ctx, host) })
	return o.startErr
}

// Shutdown stops the server.
func (o *once) Shutdown(ctx context.Context) error {
	o.stop.Do(func() {
		o.stopErr = o.server.shutdown(ctx)
		o.gone()
	})
	return o.stopErr
}
