package ledger

import (
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Tree is a Merkle tree that only grows, kept as its peaks. The zero value is
// the empty tree. Its root is the Merkle tree hash of RFC 6962.
type Tree struct {
	Size  int64
	peaks []Hash // from left, the largest, to right
}

// NewTree returns the tree of this size that has these peaks, as Peaks wrote
// them.
func NewTree(size int64, peaks []byte) (*Tree, error) {
	if size < 0 || len(peaks) != bits.OnesCount64(uint64(size))*tlog.HashSize {
		return nil, ErrMalformed
	}
	t := &Tree{Size: size}
	for ; len(peaks) > 0; peaks = peaks[tlog.HashSize:] {
		t.peaks = append(t.peaks, Hash(peaks[:tlog.HashSize]))
	}
	return t, nil
}

// Add appends a leaf as Leaf.Append wrote it.
func (t *Tree) Add(leaf []byte) {
	t.AddHash(HashLeaf(leaf))
}

// AddHash appends a leaf of which only the hash is known.
func (t *Tree) AddHash(h Hash) {
	for n := t.Size; n&1 == 1; n >>= 1 {
		last := len(t.peaks) - 1
		h = tlog.NodeHash(t.peaks[last], h)
		t.peaks = t.peaks[:last]
	}
	t.peaks = append(t.peaks, h)
	t.Size++
}

// Root returns the hash that stands for all leaves.
func (t *Tree) Root() Hash {
	if len(t.peaks) == 0 {
		root, _ := tlog.TreeHash(0, nil) // reads nothing
		return root
	}
	root := t.peaks[len(t.peaks)-1]
	for i := len(t.peaks) - 2; i >= 0; i-- {
		root = tlog.NodeHash(t.peaks[i], root)
	}
	return root
}

// Peaks returns what NewTree makes the tree of again.
func (t *Tree) Peaks() []byte {
	b := make([]byte, 0, len(t.peaks)*tlog.HashSize)
	for i := range t.peaks {
		b = append(b, t.peaks[i][:]...)
	}
	return b
}
