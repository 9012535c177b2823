package ledger

import "context"

// Source is one state of a store, as Verify reads it. A yield that returns an
// error ends the reading with that error.
type Source interface {
	// Leaves yields runs of leaves, as Leaf.Append wrote them one after the other,
	// in the order of their numbers; first is the number that the run claims for
	// its first leaf.
	Leaves(ctx context.Context, yield func(first int64, leaves []byte) error) error
	// Leaf returns a leaf by its number.
	Leaf(ctx context.Context, number int64) (Leaf, error)
	// Bodies yields every row that a leaf can be of, fastest in the order of their
	// leaves.
	Bodies(ctx context.Context, yield func(Body) error) error
	// Facts yields the digest of all facts that carry a leaf's number.
	Facts(ctx context.Context, yield func(number int64, facts Digest) error) error
	// Entries yields the entries, as JSON, in the order of their leaves.
	Entries(ctx context.Context, yield func(number int64, text string) error) error
	// Checkpoints yields the signed notes that the store keeps, smallest first.
	Checkpoints(ctx context.Context, yield func(msg []byte) error) error
}

// Keeper is a Reader of a store that keeps a log over its rows.
type Keeper interface {
	// Verify compares rows, logs and checkpoints.
	Verify(ctx context.Context, q Question) (Report, error)
	// Checkpoint returns the checkpoint of this size that the store keeps, as a
	// signed note; the newest for None. Of a store with several logs that is the
	// newest of each writer, one note after the other.
	Checkpoint(ctx context.Context, size int64) ([]byte, error)
}

// Body is a row as it is now.
type Body struct {
	Leaf    int64 // number that the row carries, None for none
	Kind    Kind
	ID      ID
	Content Digest
	Broken  bool // it cannot be read
}
