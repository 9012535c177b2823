package tail

import (
	"errors"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var errReread = errors.New("is no piece")

// Reread makes a piece out of what the log kept of it. It is looked at again, so
// that rules apply that changed since. data is the caller's again, and not to be read
// by way of the piece: that has only its length.
func Reread(id uint64, data []byte, records bool, policy *Policy) (Piece, error) {
	p, err := reread(data, records, policy)
	p.ID, p.Data = id, data
	return p, err
}

func reread(data []byte, records bool, policy *Policy) (Piece, error) {
	if records {
		var u plog.ProtoUnmarshaler
		ld, err := u.UnmarshalLogs(data)
		if err != nil {
			return Piece{}, err
		}
		pieces, err := SplitRecords(ld)
		if err != nil || len(pieces) != 1 {
			return Piece{}, errors.Join(err, errReread)
		}
		return pieces[0], nil
	}
	var u ptrace.ProtoUnmarshaler
	td, err := u.UnmarshalTraces(data)
	if err != nil {
		return Piece{}, err
	}
	s := splitters.Get().(*splitter)
	defer splitters.Put(s)
	defer s.forget()
	s.look(td, policy)
	if len(s.builders) != 1 {
		return Piece{}, errReread
	}
	return s.builders[0].piece(), nil
}
