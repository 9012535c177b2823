package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a node of the tree.
type Hash = tlog.Hash

// Digest is SHA-256 of what something says.
type Digest [sha256.Size]byte

// Kind says what a leaf is of.
type Kind byte

// Kinds of leaves. The numbers are in leaves and never change.
const (
	Span    Kind = 1
	Record  Kind = 2
	Refused Kind = 3 // a row that was set aside
	Note    Kind = 4 // an Entry
)

// idBytes is how long the id of each kind is.
var idBytes = map[Kind]int{Span: 24, Record: 16, Refused: 16, Note: 0}

func (k Kind) String() string {
	switch k {
	case Span:
		return "span"
	case Record:
		return "record"
	case Refused:
		return "refused row"
	case Note:
		return "log entry"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// ID names a row: trace id and span id, a record id, or the first half of a
// digest; what is not used is zero.
type ID [24]byte

// Leaf is what is remembered of a row as it was recorded.
type Leaf struct {
	Kind    Kind
	ID      ID
	Age     int64 // Unix nanoseconds that retention goes by
	Arrival bool  // Age is when it came: the row's own time cannot be true
	Instead int64 // number of the leaf that this one replaces, -1 for none
	Content Digest
	Facts   Digest // of the facts that the row states, zero for none
}

// None is the number of no leaf.
const None int64 = -1

// Name says which row a leaf is of, for people.
func (l *Leaf) Name() string { return Name(l.Kind, l.ID) }

// Name writes the id of a row of this kind.
func Name(k Kind, id ID) string {
	switch k {
	case Span:
		return fmt.Sprintf("span %x/%x", id[:16], id[16:])
	case Note:
		return k.String()
	}
	return k.String() + " " + hex.EncodeToString(id[:16])
}

const (
	hasFacts   = 0x80
	byArrival  = 0x40
	kindInByte = 0x0f
)

// Append writes a leaf:
//
//	leaf = kind and flags, id, age (8 bytes), uvarint(instead+1), digest [, digest of facts]
func (l *Leaf) Append(b []byte) []byte {
	head := byte(l.Kind)
	if l.Facts != (Digest{}) {
		head |= hasFacts
	}
	if l.Arrival {
		head |= byArrival
	}
	b = append(b, head)
	b = append(b, l.ID[:idBytes[l.Kind]]...)
	b = binary.BigEndian.AppendUint64(b, uint64(l.Age))
	b = binary.AppendUvarint(b, uint64(l.Instead+1))
	b = append(b, l.Content[:]...)
	if head&hasFacts != 0 {
		b = append(b, l.Facts[:]...)
	}
	return b
}

// ErrMalformed says that bytes are no leaf.
var ErrMalformed = errors.New("leaf is cut off or malformed")

// ReadLeaf reads the first leaf of b and returns the rest.
func ReadLeaf(b []byte) (l Leaf, rest []byte, err error) {
	if len(b) == 0 {
		return l, nil, ErrMalformed
	}
	head := b[0]
	l.Kind, l.Arrival = Kind(head&kindInByte), head&byArrival != 0
	n, known := idBytes[l.Kind]
	b = b[1:]
	if !known || head&^(hasFacts|byArrival|kindInByte) != 0 || len(b) < n+8 {
		return l, nil, ErrMalformed
	}
	copy(l.ID[:], b[:n])
	l.Age = int64(binary.BigEndian.Uint64(b[n:]))
	b = b[n+8:]
	instead, size := binary.Uvarint(b)
	if size <= 0 || instead > 1<<62 {
		return l, nil, ErrMalformed
	}
	l.Instead, b = int64(instead)-1, b[size:]
	if len(b) < len(l.Content) {
		return l, nil, ErrMalformed
	}
	b = b[copy(l.Content[:], b):]
	if head&hasFacts != 0 {
		if len(b) < len(l.Facts) {
			return l, nil, ErrMalformed
		}
		b = b[copy(l.Facts[:], b):]
	}
	return l, b, nil
}

// HashLeaf is a leaf's node in the tree, of the leaf as Append wrote it.
func HashLeaf(leaf []byte) Hash {
	var buf [160]byte // longer than any leaf
	return Hash(sha256.Sum256(append(append(buf[:0], 0), leaf...)))
}
