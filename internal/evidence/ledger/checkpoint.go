package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is a head of the tree.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   Hash
}

// text is what is signed: three lines.
func (c *Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
}

// Sign returns the checkpoint as a signed note.
func (c *Checkpoint) Sign(s note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.text()}, s)
}

// ErrNoCheckpoint says that a text is no checkpoint.
var ErrNoCheckpoint = errors.New("not a checkpoint: it must be a signed note of origin, size and root")

// ErrUnsigned says that no known key has signed a checkpoint.
var ErrUnsigned = errors.New("no known key has signed the checkpoint")

// OpenCheckpoint reads a signed note. With ErrUnsigned the checkpoint is what
// the text says.
func OpenCheckpoint(msg []byte, keys note.Verifiers) (Checkpoint, error) {
	n, err := note.Open(msg, keys)
	var unsigned *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unsigned):
		n, err = unsigned.Note, ErrUnsigned
	case errors.As(err, &invalid):
		text, _, _ := strings.Cut(string(msg), "\n\n")
		n, err = &note.Note{Text: text + "\n"}, ErrUnsigned
	case err != nil:
		return Checkpoint{}, ErrNoCheckpoint
	}
	lines := strings.SplitN(n.Text, "\n", 4)
	if len(lines) < 4 || lines[0] == "" {
		return Checkpoint{}, ErrNoCheckpoint
	}
	size, err1 := strconv.ParseInt(lines[1], 10, 64)
	root, err2 := tlog.ParseHash(lines[2])
	if err1 != nil || err2 != nil || size < 0 {
		return Checkpoint{}, ErrNoCheckpoint
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, err
}

// Signer names the key that a signed note says to be signed by, as NameOf does;
// nothing is verified.
func Signer(msg []byte) string {
	_, err := note.Open(msg, note.VerifierList())
	var unsigned *note.UnverifiedNoteError
	if !errors.As(err, &unsigned) || len(unsigned.Note.UnverifiedSigs) == 0 {
		return "unknown"
	}
	sig := unsigned.Note.UnverifiedSigs[0]
	return fmt.Sprintf("%s+%08x", sig.Name, sig.Hash)
}
