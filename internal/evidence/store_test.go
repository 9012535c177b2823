package evidence

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// An id that may be the beginning of a trace id is told how long one must be.
func TestNotFoundTellsOfShortTraceIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"a1a1": true, "A1a1f": true, "trace:a1": true, "trace:": true, "a1a1a1": false, "t-1": false, "": false, "dead-": false,
	} {
		err := NotFound("", id, nil)
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v is not ErrNotFound", id, err)
		}
		if got := strings.Contains(err.Error(), "at least the first six digits"); got != want {
			t.Errorf("%q: tells of six digits: %t, want %t", id, got, want)
		}
	}
}

// A store of many tenants does not answer with all of them.
func TestNotFoundNamesFewTenants(t *testing.T) {
	var others []string
	for i := range 30 {
		others = append(others, fmt.Sprintf("tenant-%02d", i))
	}
	err := NotFound("", "t1", others).Error()
	if n := strings.Count(err, "tenant-"); n != 8 || !strings.Contains(err, "and 22 more") {
		t.Errorf("names %d tenants: %s", n, err)
	}
}
