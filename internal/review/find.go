package review

import (
	"context"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Find returns the run of an id: of the tenant of q, or, if q is for all, of no
// tenant, else of the one tenant that has the id. It comes without rows if have, which
// may be nil, knows its version.
func Find(ctx context.Context, store evidence.Reader, q evidence.Query, id string, have func(evidence.Version) bool) (evidence.Run, error) {
	run, err := store.Look(ctx, q.Tenant, id, have)
	if others := evidence.OtherTenants(err); q.AllTenants && len(others) == 1 {
		return store.Look(ctx, others[0], id, have)
	}
	return run, err
}
