package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// maxQuery is the most bytes of a query.
const maxQuery = 8 << 10

// checkQuery refuses a query of which something would not be heeded. A filter that
// is passed over answers with more than was asked for, and a tenant with that of
// others.
func checkQuery(raw string, takes []string) error {
	if len(raw) > maxQuery {
		return problem{http.StatusRequestURITooLong, "the query is too long", fmt.Sprintf("it may have %d bytes", maxQuery)}
	}
	refused := func(detail string, args ...any) error {
		return problem{http.StatusBadRequest, "the query is not understood", fmt.Sprintf(detail, args...)}
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return refused("its names and values must be percent-encoded and joined by &")
	}
	for name, values := range q {
		switch {
		case !slices.Contains(takes, name):
			if len(takes) == 0 {
				return refused("%q is taken here by nothing, nor is anything else", name)
			}
			return refused("%q is none of what is taken here: %s", name, strings.Join(takes, ", "))
		case len(values) > 1:
			return refused("%s is there %d times", name, len(values))
		}
	}
	return nil
}

// idOf is the id that an address names.
func idOf(r *http.Request) string {
	id := r.PathValue("id")
	if q := r.URL.Query(); id == review.Aside && q.Has("id") {
		return q.Get("id")
	}
	return id
}
