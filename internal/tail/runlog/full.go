package runlog

import (
	"errors"
	"syscall"
)

// worthClosing is the size from which a segment that a full disk cuts short is closed.
const worthClosing = 1 << 20

// isFull reports whether an error says that a disk, or a quota on it, is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// write appends frames. Where the disk is full limbo makes room for them, oldest first:
// it is kept for the case that it is asked for, and they must not be lost. The caller
// has the lock of the journal.
func (l *Log) write(j *journal, frames []byte) (*segment, int64, error) {
	for {
		s, at, err := j.append(frames)
		if !isFull(err) || !l.limbo.yield() {
			return s, at, err
		}
	}
}

// yield removes the oldest segment, also if it is the only one.
func (l *limbo) yield() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return len(l.segments) > 0 && l.removeOldest() == nil
}
