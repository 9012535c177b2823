package agentevents

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// shelf keeps the state in a storage extension. A nil shelf keeps nothing.
type shelf struct{ client storage.Client }

func openShelf(ctx context.Context, host component.Host, id *component.ID, own component.ID) (*shelf, error) {
	if id == nil {
		return nil, nil
	}
	ext, ok := host.GetExtensions()[*id]
	if !ok {
		return nil, fmt.Errorf("storage: no extension %s; list it under service.extensions", id)
	}
	keeper, ok := ext.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %s keeps no state; name a storage extension such as file_storage", id)
	}
	client, err := keeper.GetClient(ctx, component.KindConnector, own, "")
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return &shelf{client: client}, nil
}

func (s *shelf) load(ctx context.Context, state *synth.State) (lost int, err error) {
	if s == nil {
		return 0, nil
	}
	if lost, err = synth.Thaw(state, func(key string) ([]byte, error) { return s.client.Get(ctx, key) }); err != nil {
		return lost, fmt.Errorf("storage: %w", err)
	}
	return lost, nil
}

// keep writes what changed, all of it or nothing.
func (s *shelf) keep(ctx context.Context, state *synth.State) error {
	if s == nil {
		return nil
	}
	var ops []*storage.Operation
	for _, c := range synth.Changes(state) {
		if c.Value == nil {
			ops = append(ops, storage.DeleteOperation(c.Key))
		} else {
			ops = append(ops, storage.SetOperation(c.Key, c.Value))
		}
	}
	if len(ops) == 0 {
		return nil
	}
	if err := s.client.Batch(ctx, ops...); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
}

func (s *shelf) close(ctx context.Context) error { return s.client.Close(ctx) }
