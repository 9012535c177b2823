package runlog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// Settings are fixed for the life of a Log.
type Settings struct {
	Directory   string
	MaxBytes    int64         // of pieces, what is forgotten but not yet removed included
	LimboBytes  int64         // of dropped runs, compressed; 0 keeps none
	LimboWindow time.Duration // how long they are kept
	Remember    int           // keys of decided runs, and of dropped ones
	RecallBytes int64         // the most that is taken out of limbo at one time; 0 for any

	// Sync puts a file on the disk; (*os.File).Sync if nil. Tests that play many
	// histories do not wait for disks.
	Sync func(*os.File) error
	// Write is (*os.File).WriteAt if nil. Tests fill a disk with it.
	Write func(f *os.File, b []byte, at int64) (int, error)
}

// ErrFull says that MaxBytes are reached.
var ErrFull = errors.New("storage.max_mib is reached; send the batch again later")

var errReplaced = errors.New("LOCK is another file")

var errTaken = errors.New("is in use by another process; give each collector a storage.directory of its own")

// Log is an open directory. It is safe for concurrent use.
type Log struct {
	set  Settings
	lock *os.File

	mu      sync.Mutex
	pieces  journal
	index   map[uint64]place // live pieces
	lastID  uint64
	forget  []forgotten
	said    int // of forget: the decisions on them are on the disk
	scratch []byte
	gone    error // the directory is

	decided decisions
	limbo   limbo
	reject  rejected
}

// forgotten is a piece of which it is not yet on the disk that it is.
type forgotten struct {
	id uint64
	of *segment
}

// Pending is a live piece that a start came across.
type Pending struct {
	ID      uint64
	Arrived time.Time
	Spans   int // 0 for records
}

// Open locks a directory, makes it if it is not there, and reads what is in it.
// each is told every decision, in its order.
func Open(set Settings, each func(keys []tail.Key, d tail.Decision)) (*Log, []Pending, Found, error) {
	l := &Log{set: set, index: map[uint64]place{}}
	pending, found, err := l.open(each)
	if err != nil {
		_ = l.Close()
		return nil, nil, found, fmt.Errorf("storage.directory %w", err)
	}
	return l, pending, found, nil
}

// segmentOf is the size of one of n segments that together have max bytes.
func segmentOf(bytes, n int64) int64 { return min(max(bytes/n, 1<<20), 64<<20) }

const pieceHead = 8 + 8 + 4

// Append writes pieces and gives them their ids. With sync it returns when they are
// on the disk. After an error none of them is there.
func (l *Log) Append(pieces []tail.Piece, now time.Time, sync bool) error {
	if err := l.append(pieces, now); err != nil {
		return err
	}
	if !sync {
		return nil
	}
	if err := l.pieces.sync(); err != nil {
		ids := make([]uint64, len(pieces))
		for i := range pieces {
			ids[i] = pieces[i].ID
		}
		l.Forget(ids)
		return err
	}
	return nil
}

func (l *Log) append(pieces []tail.Piece, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.scratch[:0]
	var places [64]int64
	at := places[:0]
	id := l.lastID
	for i := range pieces {
		id++
		var frame int
		b, frame = begin(b, kindPiece)
		at = append(at, int64(frame))
		b = binary.LittleEndian.AppendUint64(b, id)
		b = binary.LittleEndian.AppendUint64(b, uint64(now.UnixNano()))
		b = binary.LittleEndian.AppendUint32(b, uint32(pieces[i].Spans))
		b = append(b, pieces[i].Data...)
		end(b, frame)
	}
	l.scratch = b[:0]
	if cap(l.scratch) > 8<<20 {
		l.scratch = nil
	}
	if l.gone != nil {
		return l.gone
	}
	if len(pieces) > 0 && l.pieces.bytes+int64(len(b)) > l.set.MaxBytes {
		return ErrFull
	}
	s, base, err := l.write(&l.pieces, b)
	if err != nil {
		return err
	}
	for i := range pieces {
		l.lastID++
		pieces[i].ID = l.lastID
		n := int32(pieceHead + len(pieces[i].Data))
		l.index[l.lastID] = place{s, base + at[i], n}
		s.live += int64(n)
	}
	return nil
}

// Forget says that pieces are not needed any more. It is written by Flush, after what
// was decided of them: if the process ends before, they come again.
func (l *Log) Forget(ids []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if p, ok := l.drop(id); ok {
			p.segment.unsaid++
			l.forget = append(l.forget, forgotten{id, p.segment})
		}
	}
}

func (l *Log) drop(id uint64) (place, bool) {
	p, ok := l.index[id]
	if ok {
		p.segment.live -= int64(p.n)
		delete(l.index, id)
	}
	return p, ok
}

// Read returns the OTLP of a live piece.
func (l *Log) Read(id uint64) ([]byte, error) { return l.ReadInto(new([]byte), id) }

// ReadInto is Read into memory that is used again; it is made anew if it is too small.
func (l *Log) ReadInto(room *[]byte, id uint64) ([]byte, error) {
	for before := (place{}); ; {
		l.mu.Lock()
		p, ok := l.index[id]
		l.mu.Unlock()
		if !ok {
			return nil, errors.New("the piece is not in the storage")
		}
		b, err := l.pieces.readInto(room, p)
		if errors.Is(err, os.ErrClosed) && p != before {
			before = p // copied to a newer segment meanwhile, unless the log is closed
			continue
		}
		if err != nil {
			return nil, err
		}
		return b[pieceHead:], nil
	}
}

// Decided writes what became of the run with these keys, with the next Flush. It is
// told before the pieces of the run are forgotten.
func (l *Log) Decided(keys []tail.Key, d tail.Decision) { l.decided.add(keys, d) }

// Flush writes what was decided and forgotten, syncs everything, and removes what
// is not needed. It is called every fsync interval.
func (l *Log) Flush(now time.Time) error {
	return errors.Join(l.flush(), l.limbo.flush(now))
}

func (l *Log) flush() error {
	l.mu.Lock()
	gone := len(l.forget) // of which it is said by now what was decided
	l.mu.Unlock()
	err := l.present()
	if err == nil {
		err = l.decided.flush()
		for isFull(err) && l.limbo.yield() {
			err = l.decided.flush()
		}
	}
	full := isFull(err) // then what is sent has to make room, said or not
	if err == nil {     // what is decided may come again, but nothing is forgotten undecided
		l.say(gone)
		err = l.flushForgotten(gone)
	}
	return errors.Join(err, l.pieces.sync(), l.clean(full))
}

// say notes that what was decided of the first n forgotten pieces is on the disk.
func (l *Log) say(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; l.said < n; l.said++ {
		l.forget[l.said].of.unsaid--
	}
}

func (l *Log) flushForgotten(n int) error {
	if n == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b, at := begin(make([]byte, 0, frameHead+8*n), kindForget)
	for _, f := range l.forget[:n] {
		b = binary.LittleEndian.AppendUint64(b, f.id)
	}
	end(b, at)
	_, _, err := l.write(&l.pieces, b)
	if err == nil {
		l.forget = slices.Delete(l.forget, 0, n)
		l.said -= n
	}
	return err
}

// present reports whether the directory is still the one that was opened. Once it is
// not, nothing is taken any more: files without a name end with the process.
func (l *Log) present() error {
	there, err := os.Stat(l.lock.Name())
	if err == nil {
		var ours os.FileInfo
		if ours, err = l.lock.Stat(); err == nil && !os.SameFile(there, ours) {
			err = errReplaced
		}
	}
	if err == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = fmt.Errorf("storage.directory was removed or replaced while it was in use; restart the collector: %w", err)
	return l.gone
}

// Spoil makes every write of pieces and to limbo fail as a full disk does, after half of
// it, until it is called with nil. It is for tests of what stands on a Log.
func (l *Log) Spoil(err error) {
	if err == nil {
		l.Divert(l.set.Write, l.set.Sync)
		return
	}
	l.Divert(func(f *os.File, b []byte, at int64) (int, error) {
		n, _ := f.WriteAt(b[:len(b)/2], at)
		return n, err
	}, l.set.Sync)
}

// Divert has pieces and limbo written and synced by others. It is for tests too.
func (l *Log) Divert(write func(*os.File, []byte, int64) (int, error), sync func(*os.File) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limbo.lock.Lock()
	defer l.limbo.lock.Unlock()
	for _, j := range []*journal{&l.pieces, &l.limbo.journal} {
		j.mu.Lock()
		j.write, j.put = write, sync
		j.mu.Unlock()
	}
}

// Bytes is what the pieces take on the disk.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pieces.bytes
}

// Close flushes and gives the directory free.
func (l *Log) Close() error {
	if l.lock == nil {
		return nil
	}
	err := errors.Join(l.flush(), l.pieces.close(), l.decided.close(), l.limbo.close())
	return errors.Join(err, l.lock.Close())
}

func marshal(d tail.Decision) []byte {
	b, err := json.Marshal(d)
	if err != nil {
		return nil // it has no value that JSON has not
	}
	return b
}
