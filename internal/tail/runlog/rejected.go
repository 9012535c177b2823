package runlog

import (
	"errors"
	"os"
	"sync"
)

// rejectedBytes bounds rejected.jsonl; the one before it is kept as rejected.1.jsonl.
const rejectedBytes = 64 << 20

// rejected is what the next component will never take, a line each.
type rejected struct {
	path  string
	limit int64
	lock  sync.Mutex
}

// Reject writes one line of OTLP as JSON and returns when it is on the disk.
func (l *Log) Reject(line []byte) error {
	r := &l.reject
	r.lock.Lock()
	defer r.lock.Unlock()
	if info, err := os.Stat(r.path); err == nil && info.Size()+int64(len(line)) > r.limit {
		if err := os.Rename(r.path, r.path[:len(r.path)-len(".jsonl")]+".1.jsonl"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		if _, err = f.Write(append(line, '\n')); err != nil { // half a line would spoil the next one
			err = errors.Join(err, f.Truncate(info.Size()))
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}
