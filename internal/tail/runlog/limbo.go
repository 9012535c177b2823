package runlog

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// limbo is the journal of dropped runs. Whole segments go, oldest first.
type limbo struct {
	journal
	max    int64
	runs   int   // the most keys: what is not remembered as decided is not asked for
	recall int64 // bytes taken out at one time, 0 for any
	window time.Duration

	lock sync.Mutex
}

func (l *limbo) init(set Settings) {
	l.journal = journal{put: set.Sync, write: set.Write, dir: set.Directory, name: "limbo", limit: segmentOf(set.LimboBytes, 16)}
	l.max, l.window = set.LimboBytes, set.LimboWindow
	l.runs, l.recall = set.Remember, set.RecallBytes
}

const limboHead = 8 + 1 + 4

func (l *limbo) open(found *Found) error {
	if l.max <= 0 {
		return l.clear()
	}
	return l.recover(found, func(kind byte, b []byte, at place) error {
		if kind != kindLimbo || len(b) < limboHead {
			return nil
		}
		n := int(binary.LittleEndian.Uint32(b[9:]))
		if n > (len(b)-limboHead)/len(tail.Key{}) {
			return nil
		}
		keys := keysOf(b[limboHead : limboHead+n*len(tail.Key{})])
		at.segment.shelve(keys, shelved{at: at.at, n: at.n, time: int64(binary.LittleEndian.Uint64(b)), whole: b[8] == 1})
		return nil
	})
}

func (s *segment) shelve(keys []tail.Key, run shelved) {
	if s.newest == 0 {
		s.oldest = run.time
	}
	s.newest = max(s.newest, run.time)
	s.keys += len(keys)
	s.shelf.add(keys, run)
}

// desk is the memory that one run is compressed in.
type desk struct{ plain, frame []byte }

var desks = sync.Pool{New: func() any { return &desk{} }}

// Stow keeps a dropped run for a while. whole: nothing of it was dropped before.
func (l *Log) Stow(keys []tail.Key, whole bool, pieces [][]byte, now time.Time) error {
	if l.limbo.max <= 0 {
		return nil
	}
	size := 0
	for _, p := range pieces {
		size += 4 + len(p)
	}
	work := desks.Get().(*desk)
	defer desks.Put(work)
	plain := slices.Grow(work.plain[:0], size)
	for _, p := range pieces {
		plain = binary.LittleEndian.AppendUint32(plain, uint32(len(p)))
		plain = append(plain, p...)
	}
	b, at := begin(slices.Grow(work.frame[:0], frameHead+limboHead+16*len(keys)+s2.MaxEncodedLen(size)), kindLimbo)
	b = binary.LittleEndian.AppendUint64(b, uint64(now.UnixNano()))
	b = append(b, map[bool]byte{true: 1}[whole])
	b = binary.LittleEndian.AppendUint32(b, uint32(len(keys)))
	for i := range keys {
		b = append(b, keys[i][:]...)
	}
	b = append(b, s2.Encode(b[len(b):cap(b)], plain)...)
	end(b, at)
	work.plain, work.frame = plain, b
	m := &l.limbo
	m.lock.Lock()
	defer m.lock.Unlock()
	if n := len(m.segments); n > 0 && m.segments[n-1].newest > 0 &&
		(now.UnixNano()-m.segments[n-1].oldest > int64(m.window)/8 || m.segments[n-1].keys > m.runs/16) {
		if err := m.roll(); err != nil {
			return err
		}
	}
	if err := m.makeRoom(int64(len(b))); err != nil {
		return err
	}
	s, base, err := m.append(b)
	if err != nil {
		return err
	}
	s.shelve(keys, shelved{at: base, n: int32(len(b) - frameHead), time: now.UnixNano(), whole: whole})
	return m.expire(now.UnixNano())
}

// errLarge says that one run would take all of limbo.
var errLarge = errors.New("the run is larger than limbo.max_mib")

// makeRoom removes the oldest segments, so that limbo is never larger than it may be.
func (l *limbo) makeRoom(n int64) error {
	n += int64(len(header)) // of a segment that may have to be begun
	if n > l.max {
		return errLarge
	}
	for len(l.segments) > 0 && l.bytes+n > l.max {
		if err := l.removeOldest(); err != nil {
			return err
		}
	}
	return nil
}

// Recall takes what is kept of the runs with these keys out of limbo. whole says of
// which keys nothing is missing.
func (l *Log) Recall(keys []tail.Key, now time.Time) (pieces [][]byte, whole func(tail.Key) bool) {
	m := &l.limbo
	m.lock.Lock()
	defer m.lock.Unlock()
	entire, short := map[tail.Key]bool{}, map[tail.Key]bool{}
	asked := make(map[tail.Key]bool, len(keys))
	for _, k := range keys {
		asked[k] = true
	}
	size := int64(0)
	for _, s := range m.segments {
		for _, run := range s.shelf.find(keys) {
			if now.UnixNano()-run.time > int64(m.window) {
				run.gone = true
				continue
			}
			b, err := m.read(place{s, run.at, run.n})
			own := common(asked, b)
			if len(own) == 0 {
				continue // another run, with a key like one of these
			}
			run.gone = true
			parts, ok := m.unpack(b, m.recall-size)
			for _, p := range parts {
				size += int64(len(p))
			}
			pieces = append(pieces, parts...)
			for _, k := range own {
				entire[k] = entire[k] || run.whole
				short[k] = short[k] || err != nil || !ok
			}
		}
	}
	return pieces, func(k tail.Key) bool { return entire[k] && !short[k] }
}

// common is which of the keys a run has, by its frame; of one that cannot be read, all.
func common(asked map[tail.Key]bool, frame []byte) (own []tail.Key) {
	if frame == nil {
		return slices.Collect(maps.Keys(asked))
	}
	n := binary.LittleEndian.Uint32(frame[9:])
	for _, k := range keysOf(frame[limboHead : limboHead+int(n)*len(tail.Key{})]) {
		if asked[k] {
			own = append(own, k)
		}
	}
	return own
}

// unpack is the pieces of a run, if it is not larger than room.
func (l *limbo) unpack(frame []byte, room int64) (parts [][]byte, ok bool) {
	if frame == nil {
		return nil, false
	}
	block := frame[limboHead+len(tail.Key{})*int(binary.LittleEndian.Uint32(frame[9:])):]
	if n, err := s2.DecodedLen(block); err != nil || l.recall > 0 && int64(n) > room {
		return nil, false
	}
	plain, err := s2.Decode(nil, block)
	if err != nil {
		return nil, false
	}
	for len(plain) >= 4 {
		n := int(binary.LittleEndian.Uint32(plain))
		if n > len(plain)-4 {
			return parts, false
		}
		parts = append(parts, plain[4:4+n])
		plain = plain[4+n:]
	}
	return parts, true
}

// expire removes segments that are too old, or too many. One that is from later than now,
// since the clock went back, is from now.
func (l *limbo) expire(now int64) error {
	for _, s := range l.segments {
		s.oldest, s.newest = min(s.oldest, now), min(s.newest, now)
	}
	for len(l.segments) > 0 && l.spent(l.segments[0], now) {
		if err := l.removeOldest(); err != nil {
			return err
		}
	}
	return nil
}

// spent reports whether the oldest segment has to go.
func (l *limbo) spent(s *segment, now int64) bool {
	if s.newest > 0 && now-s.newest > int64(l.window) {
		return true
	}
	return len(l.segments) > 1 && (s.newest == 0 || l.bytes > l.max || l.keys() > l.runs)
}

func (l *limbo) keys() (n int) {
	for _, s := range l.segments {
		n += s.keys
	}
	return n
}

func (l *limbo) flush(now time.Time) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.expire(now.UnixNano())
}
