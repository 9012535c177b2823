package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNotFound says that no run of the tenant has the id that was asked for.
var ErrNotFound = errors.New("not found")

// ErrAmbiguous says that what was asked for is the beginning of several ids.
var ErrAmbiguous = errors.New("begins the trace ids")

// ErrPermanent says that a batch will be refused however often it is sent.
var ErrPermanent = errors.New("sending it again is of no use")

// MinTraceDigits is the least number of first digits that stand for a trace id.
const MinTraceDigits = 6

// tooShort reports whether an id looks like the beginning of a trace id that has
// fewer digits than are looked for.
func tooShort(id string) bool {
	digits, marked := strings.CutPrefix(id, "trace:")
	if len(digits) >= MinTraceDigits || digits == "" && !marked {
		return false
	}
	return strings.Trim(strings.ToLower(digits), "0123456789abcdef") == ""
}

// NotFound is the error of a store that has no such run of the tenant; others are
// the tenants that have one.
func NotFound(tenant, id string, others []string) error {
	of := ""
	if tenant != "" || len(others) > 0 {
		of = fmt.Sprintf(" of tenant %q", tenant)
	}
	if len(others) == 0 && tooShort(id) {
		return fmt.Errorf("no run%s has the task %q, and of a trace id at least the first six digits are needed: %w", of, id, ErrNotFound)
	}
	if len(others) == 0 {
		return fmt.Errorf("no run%s has the task or trace %q: %w", of, id, ErrNotFound)
	}
	slices.Sort(others)
	named, more := others, ""
	if n := len(others) - maxTenants; n > 0 {
		named, more = others[:maxTenants], fmt.Sprintf(" and %d more", n)
	}
	return &elsewhere{fmt.Errorf("no run%s has the task or trace %q, but these tenants have (--tenant): %q%s: %w", of, id, named, more, ErrNotFound), others}
}

// elsewhere is a run that only other tenants have.
type elsewhere struct {
	error
	tenants []string
}

func (e *elsewhere) Unwrap() error { return e.error }

// OtherTenants returns the tenants that have what was not found, sorted.
func OtherTenants(err error) []string {
	if e, ok := errors.AsType[*elsewhere](err); ok {
		return e.tenants
	}
	return nil
}

// maxTenants is how many tenants an error names.
const maxTenants = 8

// Ambiguous is the error of a store in which an id begins the traces of several
// runs.
func Ambiguous(id string, runs int) error {
	return fmt.Errorf("%q %w of %d runs; give more digits", id, ErrAmbiguous, runs)
}

// WriteResult counts what became of a batch.
type WriteResult struct {
	Stored      int // rows new or changed
	Quarantined int // rows set aside, with the reason, because the store refused them
}

// Writer keeps batches. It is safe for concurrent use.
type Writer interface {
	// Write returns nil when the batch is on disk. Writing a batch again, whole
	// or in other pieces, changes nothing. An error means that nothing of the
	// batch is promised and that it may be sent again, unless it is permanent.
	Write(ctx context.Context, b Batch) (WriteResult, error)
	// Prune deletes spans and facts older than evidence, records older than
	// records, in steps small enough not to block writes for long. It returns
	// the number of rows deleted.
	Prune(ctx context.Context, evidence, records time.Time) (int64, error)
	Close() error
}

// Reader looks at what was kept; it works beside a Writer in another process.
type Reader interface {
	// Find returns the run that holds a task id, a trace id in hex, or a unique
	// prefix of at least six digits of one. The error wraps ErrNotFound if there
	// is none; it names other tenants that have the id.
	Find(ctx context.Context, tenant, id string) (Run, error)
	// Look is Find for a caller who may know the run: if have says so of its version,
	// the run comes without rows and costs little.
	Look(ctx context.Context, tenant, id string, have func(Version) bool) (Run, error)
	// Recent calls yield with the runs whose latest span or record is not before
	// q.Since, newest first, until yield returns false.
	Recent(ctx context.Context, q Query, yield func(Run) bool) error
	// Page is Recent from a place on, and only with runs that state a term if q
	// names one. Every run comes with its place, after which the next page begins.
	// What arrives between two pages moves its run to the front: a later page may
	// then have it no more, never twice.
	Page(ctx context.Context, q PageQuery, yield func(Run, Place) bool) error
	// Count says how many runs state a text as which kind of term, most of a kind at
	// most; kinds as which no run states it are left out. q.Since is not heeded.
	Count(ctx context.Context, q Query, text string, most int) (map[TermKind]int, error)
	Close() error
}

// Place is where a run stands in a listing. Only the engine that made one reads it;
// it has the letters of a URL and no text of any row.
type Place string

// ErrPlace says that a place was not made by this engine.
var ErrPlace = errors.New("the place in the listing is not one of this store; begin with the first page")

// Version says which rows a run has: a run whose version is what it was has the rows
// that it had. Only the engine that made one reads it; it has the letters of a URL.
type Version string

// PageQuery bounds a page.
type PageQuery struct {
	Query
	After Place // "": from the newest on
	Term  Term  // the zero term asks for nothing
	// Have, if it is not nil, is asked about every run before its rows are read, and
	// says whether the caller knows it in this version: it then comes without rows and
	// costs little. With a term that means: knows that it states the term.
	Have func(tenant string, at Place, version Version) bool
	// Seen, if it is not nil, says whether the caller may know the run at a place in any
	// version. Of others Have may be told after their rows are read, and is not heeded:
	// an engine then need not look at them twice.
	Seen func(tenant string, at Place) bool
	// Want is how many runs the caller is likely to take, 0 if it cannot say.
	Want int
}

// Query bounds a listing.
type Query struct {
	Tenant     string
	AllTenants bool
	Since      time.Time // zero: from the beginning
}
