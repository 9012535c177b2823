package sqlite

import (
	"context"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

var _ evidence.PrunePreviewer = (*Writer)(nil)

// Prunable counts what Prune would take of what has a leaf of its own.
func (w *Writer) Prunable(ctx context.Context, evidence, records time.Time) (n int64, err error) {
	step := func(c *connection) error {
		return c.row(`SELECT (SELECT count(*) FROM spans WHERE coalesce(seen, max(start_ns, end_ns)) < ?1)
			+ (SELECT count(*) FROM events WHERE coalesce(seen, time_ns) < ?2)
			+ (SELECT count(*) FROM quarantine WHERE seen IS NOT NULL AND seen < ?1)`,
			[]any{evidence.UnixNano(), records.UnixNano()}, &n)
	}
	return n, w.do(&request{ctx: ctx, step: step})
}
