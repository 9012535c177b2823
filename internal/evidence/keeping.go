package evidence

import (
	"context"
	"time"
)

// What a store may offer beside reading and writing. An engine that does not
// offer one of these says so by not having its methods.

// Eraser is a Writer that forgets what is said of one subject.
type Eraser interface {
	// Erase deletes every row that speaks of the subject, in small steps, and logs
	// that it did as evidence of its own.
	Erase(ctx context.Context, e Erasure) (Erased, error)
}

// Erasure says what to forget.
type Erasure struct {
	Subject   string // the digest that stands for the subject in keys, texts and values; at least MinSubject bytes
	WholeRuns bool   // also all other rows of the runs in which it is spoken of
	DryRun    bool   // only count
}

// PrunePreviewer is a Writer that counts what Prune would take.
type PrunePreviewer interface {
	// Prunable counts the spans, records and refused rows older than the limits;
	// their links and facts go with them.
	Prunable(ctx context.Context, evidence, records time.Time) (int64, error)
}

// MinSubject keeps a slip from erasing a store: shorter texts are in many rows.
// A redactor's token without its kind, :12hex], is the shortest that is not.
const MinSubject = 14

// Erased counts what was, or would be, deleted.
type Erased struct {
	Spans   int64 `json:"spans"`
	Records int64 `json:"records"`
	Facts   int64 `json:"facts"`
	Refused int64 `json:"quarantined"`
	// Lingering says that a reader still needs the old pages of the store; they
	// go with the next checkpoint of the write-ahead log.
	Lingering bool `json:"lingering"`
}

// Movable is a Reader of something that can be taken away while it is read.
type Movable interface {
	// Moved reports whether what is read is no longer what stands at the place that
	// was opened: it was removed, or another one put there.
	Moved() bool
}

// Statser is a Reader that counts what a store holds.
type Statser interface {
	Stats(ctx context.Context) (Stats, error)
}

// Stats says how much a store holds.
type Stats struct {
	Engine string           `json:"engine"`
	Schema int              `json:"schema"`
	Bytes  int64            `json:"bytes"`      // on disk
	Free   int64            `json:"free_bytes"` // of these, not in use
	Rows   map[string]int64 `json:"rows"`       // by table
	// About says that rows which came again may be counted again, since the engine has
	// not merged them yet.
	About  bool      `json:"about"`
	Oldest time.Time `json:"oldest"` // oldest span or fact, zero if there is none
	Newest time.Time `json:"newest"`
	Leaves int64     `json:"leaves"` // of the log over the rows
}

// Checker is a Reader that looks for damage.
type Checker interface {
	// Check reads everything and calls report for what does not fit together. The
	// error says that it could not be done.
	Check(ctx context.Context, report func(Damage)) error
}

// Damage is one thing that does not fit together.
type Damage struct {
	Table  string `json:"table"`
	Row    string `json:"row,omitempty"`
	Detail string `json:"detail"`
	// Note says that nothing is damaged, and somebody should know.
	Note bool `json:"note,omitempty"`
}

// Migrated says what became of a store's schema.
type Migrated struct {
	From  int      `json:"from"`  // version before; 0 for a new store
	To    int      `json:"to"`    // version after, or the one wanted if nothing was done
	Steps []string `json:"steps"` // migrations applied, or to be applied
	// Statements are what a dry run would run, of an engine whose owner may want to
	// run them by hand.
	Statements []string `json:"statements,omitempty"`
	// Retained is how many tables that were there get another retention.
	Retained int `json:"retained,omitempty"`
}
