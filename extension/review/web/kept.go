package web

import "time"

// kept is an answer that is good for a moment.
type kept struct {
	value any
	until time.Time
}

const (
	// keptFor is how long an answer over many runs is good for, and maxKept how many
	// are remembered.
	keptFor = 15 * time.Second
	maxKept = 64
)

// once returns the answer of a name, computed at most every keptFor.
func once[T any](h *Handler, name string, make func() (T, error)) (T, error) {
	now := h.set.Now()
	h.mu.Lock()
	k, ok := h.kept[name]
	h.mu.Unlock()
	if v, is := k.value.(T); ok && is && now.Before(k.until) {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.kept) >= maxKept {
		clear(h.kept)
	}
	h.kept[name] = kept{v, now.Add(keptFor)}
	return v, nil
}
