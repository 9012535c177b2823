package runlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// journal is the segments of one name. Appending and removing is under the lock of
// its user; reading and syncing is not.
type journal struct {
	dir, name string
	limit     int64 // of a segment
	put       func(*os.File) error
	write     func(*os.File, []byte, int64) (int, error)

	segments []*segment // oldest first; the last is written to
	number   uint64     // of the last
	bytes    int64
	scanned  []byte // memory of a start

	syncing sync.Mutex
	mu      sync.Mutex
	dirty   []*segment
	written uint64 // appends
	synced  uint64 // of these
}

type segment struct {
	number uint64
	file   *os.File
	size   int64
	live   int64 // bytes of live pieces
	unsaid int   // pieces that are forgotten while what was decided of them is not on the disk
	keys   int   // in a journal of decisions
	oldest int64 // Unix nanoseconds, in limbo
	newest int64
	shelf  shelf // in limbo
	broken bool  // its end is not what was written; nothing more goes there
}

// place is where a frame's payload is.
type place struct {
	segment *segment
	at      int64
	n       int32
}

func (j *journal) path(number uint64) string {
	return filepath.Join(j.dir, fmt.Sprintf("%s-%08d.log", j.name, number))
}

// found lists the segments that are there, oldest first.
func (j *journal) found() ([]uint64, error) {
	names, err := filepath.Glob(filepath.Join(j.dir, j.name+"-*.log"))
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, n := range names {
		digits := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(n), j.name+"-"), ".log")
		if number, err := strconv.ParseUint(digits, 10, 64); err == nil {
			out = append(out, number)
		}
	}
	slices.Sort(out)
	return out, nil
}

// roll begins a segment.
func (j *journal) roll() error {
	number := j.number + 1
	f, err := os.OpenFile(j.path(number), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := j.write(f, []byte(header), 0); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	j.number = number
	j.segments = append(j.segments, &segment{number: number, file: f, size: int64(len(header))})
	j.bytes += int64(len(header))
	return syncDir(j.dir, j.put)
}

// append writes frames at the end, all or none of them.
func (j *journal) append(frames []byte) (*segment, int64, error) {
	if n := len(j.segments); n == 0 || j.segments[n-1].broken || j.segments[n-1].size >= j.limit {
		if err := j.roll(); err != nil {
			return nil, 0, err
		}
	}
	s := j.segments[len(j.segments)-1]
	at := s.size
	n, err := j.write(s.file, frames, at)
	if err != nil {
		if n > 0 && s.file.Truncate(at) != nil || isFull(err) && s.size > worthClosing {
			s.broken = true // of a closed segment the room comes back when what it holds is sent
		}
		return nil, 0, err
	}
	s.size += int64(n)
	j.bytes += int64(n)
	j.mu.Lock()
	j.written++
	if k := len(j.dirty); k == 0 || j.dirty[k-1] != s {
		j.dirty = append(j.dirty, s)
	}
	j.mu.Unlock()
	return s, at, nil
}

// sync returns when everything that was appended before is on the disk. Callers
// that come together share one call to it.
func (j *journal) sync() error {
	j.mu.Lock()
	want := j.written
	j.mu.Unlock()
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	if j.synced >= want {
		j.mu.Unlock()
		return nil
	}
	upTo, dirty, put := j.written, j.dirty, j.put
	j.dirty = nil
	j.mu.Unlock()
	for _, s := range dirty {
		if err := put(s.file); err != nil && !errors.Is(err, os.ErrClosed) {
			s.broken = true
			j.mu.Lock()
			j.dirty = append(dirty, j.dirty...)
			j.mu.Unlock()
			return err
		}
	}
	j.mu.Lock()
	j.synced = max(j.synced, upTo)
	j.mu.Unlock()
	return nil
}

// read returns the payload of a frame.
func (j *journal) read(p place) ([]byte, error) { return j.readInto(new([]byte), p) }

func (j *journal) readInto(room *[]byte, p place) ([]byte, error) {
	n := frameHead + int(p.n)
	if cap(*room) < n {
		*room = make([]byte, n)
	}
	b := (*room)[:n]
	if _, err := p.segment.file.ReadAt(b, p.at); err != nil {
		return nil, err
	}
	_, payload, ok := parse(b)
	if !ok {
		return nil, fmt.Errorf("%s: damaged at byte %d", filepath.Base(p.segment.file.Name()), p.at)
	}
	return payload, nil
}

// startOver empties the only segment.
func (j *journal) startOver() error {
	s := j.segments[0]
	if err := s.file.Truncate(int64(len(header))); err != nil {
		s.broken = true
		return err
	}
	j.bytes -= s.size - int64(len(header))
	s.size = int64(len(header))
	return nil
}

// removeOldest deletes the first segment.
func (j *journal) removeOldest() error {
	s := j.segments[0]
	if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	j.segments[0] = nil // its index goes with it
	j.segments = j.segments[1:]
	j.bytes -= s.size
	return s.file.Close()
}

// clear deletes all segments, unread.
func (j *journal) clear() error {
	numbers, err := j.found()
	for _, number := range numbers {
		err = errors.Join(err, os.Remove(j.path(number)))
	}
	return err
}

func (j *journal) close() error {
	err := j.sync()
	for _, s := range j.segments {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

func syncDir(dir string, put func(*os.File) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = put(d) // not every system can; the file itself is synced with its content
	return d.Close()
}
