package genaimapper

import (
	"context"
	"fmt"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// factory knows the keepers: the processors of one id, one a pipeline, remember
// together.
type factory struct {
	mu      sync.Mutex
	keepers map[component.ID]*keeper
}

// keeper holds what records tell each other, and keeps it over a restart if there
// is a storage.
type keeper struct {
	memory *mapping.Memory
	id     component.ID
	forget func()

	mu     sync.Mutex
	client storage.Client
	users  int
}

func (f *factory) keeper(id component.ID) *keeper {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.keepers[id]
	if k == nil {
		k = &keeper{memory: mapping.NewMemory(), id: id, forget: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.keepers, id)
		}}
		f.keepers[id] = k
	}
	return k
}

func shardKey(n int) string { return fmt.Sprintf("memory/%d", n) }

// open is called by each processor; the first one reads what was kept.
func (k *keeper) open(ctx context.Context, host component.Host, id *component.ID) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users++; k.users > 1 || id == nil {
		return nil
	}
	ext, ok := host.GetExtensions()[*id]
	if !ok {
		return fmt.Errorf("storage: no extension %s; list it under service.extensions", id)
	}
	store, ok := ext.(storage.Extension)
	if !ok {
		return fmt.Errorf("storage: extension %s keeps no state; name a storage extension such as file_storage", id)
	}
	client, err := store.GetClient(ctx, component.KindProcessor, k.id, "")
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	for n := range mapping.MemoryShards {
		kept, err := client.Get(ctx, shardKey(n))
		if err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		k.memory.Restore(n, kept)
	}
	k.client = client
	return nil
}

// keep writes what was told since the last time. Most batches tell nothing.
func (k *keeper) keep(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.client == nil {
		return nil
	}
	var ops []*storage.Operation
	for n, kept := range k.memory.Changed() {
		ops = append(ops, storage.SetOperation(shardKey(n), kept))
	}
	if len(ops) == 0 {
		return nil
	}
	if err := k.client.Batch(ctx, ops...); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
}

// close is called by each processor; the last one closes the storage.
func (k *keeper) close(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	k.forget()
	if k.client == nil {
		return nil
	}
	client := k.client
	k.client = nil
	return client.Close(ctx)
}
