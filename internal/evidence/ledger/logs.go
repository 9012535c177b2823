package ledger

import "context"

// Logs is a store that several writers record in at once, each start of a writer
// in a log of its own, as VerifyLogs reads it. What is read later may be of a
// later state of the store, never of an earlier one.
type Logs interface {
	// Origins returns the logs that leaves or checkpoints are of, in any order.
	Origins(ctx context.Context) ([]string, error)
	// Heads yields the checkpoints of a log that cover more than after leaves,
	// smallest first, each with the chunk that it placed.
	Heads(ctx context.Context, origin string, after int64, yield func(Head, Chunk) error) error
	// Announced yields the chunks that no checkpoint has placed.
	Announced(ctx context.Context, yield func(origin string, c Chunk) error) error
	// Entries yields the entries of all logs, as JSON.
	Entries(ctx context.Context, yield func(text string) error) error
	// Bodies yields every row that a leaf can be of; a row may come twice.
	Bodies(ctx context.Context, yield func(Body) error) error
}

// Head is a checkpoint of one of several logs. Each places one chunk of leaves
// behind those of the checkpoint before it.
type Head struct {
	Size  int64
	Chunk int64
	Made  int64 // Unix nanoseconds
	Note  []byte
}

// Chunk is the leaves that were announced together. Number is None if the
// leaves that a checkpoint placed are not there.
type Chunk struct {
	Number int64
	Leaves []byte // as Leaf.Append wrote them
	Entry  string // JSON of the entry that the one leaf is of, else ""
	Note   []byte // by which they were announced
}
