package ledger

import (
	"crypto/sha256"

	"golang.org/x/mod/sumdb/note"
)

// announcedOrigin keeps an announcement from being taken for a checkpoint.
const announcedOrigin = " announced"

// Announce returns the signed note that says that a log is about to record these
// leaves, as its chunk of this number. It places them nowhere.
func Announce(origin string, chunk int64, leaves []byte, s note.Signer) ([]byte, error) {
	c := Checkpoint{Origin: origin + announcedOrigin, Size: chunk, Root: sha256.Sum256(leaves)}
	return c.Sign(s)
}

// Announced reports whether a known key announced these leaves.
func Announced(origin string, chunk int64, leaves, msg []byte, keys note.Verifiers) bool {
	c, err := OpenCheckpoint(msg, keys)
	return err == nil && c == Checkpoint{Origin: origin + announcedOrigin, Size: chunk, Root: sha256.Sum256(leaves)}
}
