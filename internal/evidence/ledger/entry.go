package ledger

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// What a store logs of itself.
const (
	Begun     = "begun"     // the log begins
	NewKey    = "new_key"   // checkpoints are signed with another key from here on
	Retention = "retention" // rows older than Evidence and Records are deleted from here on
	Erasure   = "erasure"   // the rows of Leaves were deleted because they spoke of Subject
)

// Entry is one thing that a store did to itself. It is kept as JSON.
type Entry struct {
	What   string     `json:"what"`
	Origin string     `json:"origin,omitempty"`
	Key    string     `json:"key,omitempty"`      // verifier key of the signer
	Before int64      `json:"unlogged,omitempty"` // rows that were there before the log
	Old    *Retained  `json:"retention,omitempty"`
	Erased *ErasedSet `json:"erasure,omitempty"`
	// Of a store with several writers: Kept is how long its engine keeps rows by
	// itself from here on, After the newest checkpoints of the logs that were there.
	Kept  *Kept    `json:"kept,omitempty"`
	After []string `json:"after,omitempty"`
}

// Kept is how many seconds an engine keeps rows before it deletes them without
// a word; 0 is for ever.
type Kept struct {
	Evidence int64 `json:"evidence_seconds"`
	Records  int64 `json:"records_seconds"`
}

// Retained is what retention takes: whatever is older.
type Retained struct {
	Evidence time.Time `json:"evidence"`
	Records  time.Time `json:"records"`
}

// ErasedSet is what an erasure took. Subject is a hash of what was asked for, so
// that the log does not name the person whom it forgets.
type ErasedSet struct {
	Subject string  `json:"subject"`
	Leaves  []int64 `json:"leaves"`
	// Of a store with several writers Rows names what was erased, and Until how
	// long each log was: what was recorded later was not there to be erased.
	Rows  []string         `json:"rows,omitempty"`
	Until map[string]int64 `json:"until,omitempty"`
}

// SubjectHash is what the log keeps of a subject.
func SubjectHash(subject string) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(subject)))
}

// Encode returns the JSON of an entry, and its digest.
func (e *Entry) Encode() (string, Digest, error) {
	b, err := json.Marshal(e)
	return string(b), EntryDigest(string(b)), err
}

// EntryDigest is the digest of an entry's JSON.
func EntryDigest(text string) Digest {
	return sha256.Sum256(codec.AppendText([]byte{ofEntry}, text))
}

// ReadEntry reads the JSON of an entry.
func ReadEntry(text string) (e Entry, err error) {
	err = json.Unmarshal([]byte(text), &e)
	if err == nil && (e.What == Retention && e.Old == nil || e.What == Erasure && e.Erased == nil) {
		err = fmt.Errorf("log entry %q without what it is about", e.What)
	}
	return e, err
}
