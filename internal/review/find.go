package review

import (
	"context"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Find returns the run of an id: of the tenant of q, or, if q is for all, of no
// tenant, else of the one tenant that has the id.
func Find(ctx context.Context, store evidence.Reader, q evidence.Query, id string) (evidence.Run, error) {
	run, err := store.Find(ctx, q.Tenant, id)
	if others := evidence.OtherTenants(err); q.AllTenants && len(others) == 1 {
		return store.Find(ctx, others[0], id)
	}
	return run, err
}
