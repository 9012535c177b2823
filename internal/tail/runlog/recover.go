package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// errForeign says that nothing in a file came from here.
var errForeign = errors.New("holds no frame")

// recover reads all segments and calls each for every frame, with its place.
func (j *journal) recover(found *Found, each func(kind byte, payload []byte, at place) error) error {
	defer func() { j.scanned = nil }()
	numbers, err := j.found()
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if j.number > 0 { // only the oldest is ever removed
			found.Missing += int(number - j.number - 1)
		}
		s, err := j.open(number)
		if err != nil {
			return err
		}
		if err := j.scan(s, found, each); err == errForeign {
			j.number = number
			if err := found.moveAside(s.file); err != nil {
				return err
			}
			continue
		} else if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(s.file.Name()), err)
		}
		j.segments = append(j.segments, s)
		j.bytes += s.size
		j.number = number
	}
	return nil
}

func (j *journal) open(number uint64) (*segment, error) {
	f, err := os.OpenFile(j.path(number), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &segment{number: number, file: f}, nil
}

func (j *journal) scan(s *segment, found *Found, each func(kind byte, payload []byte, at place) error) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	j.scanned = slices.Grow(j.scanned[:0], int(info.Size()))
	data := j.scanned[:info.Size()]
	if n, err := io.ReadFull(s.file, data); err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return err
	} else {
		data = data[:n]
	}
	s.size = int64(len(data))
	if begun(data) {
		found.TornBytes += int64(len(data))
		s.broken = true // a new one is begun instead of going on in it
		return nil
	}
	var damage []span
	var behind *resync
	next := func(after int) int {
		if behind == nil {
			behind = newResync(data)
		}
		return behind.next(after)
	}
	pos := len(header)
	if string(data[:pos]) != header {
		if pos = next(0); pos == len(data) {
			return errForeign
		}
		damage = append(damage, span{0, pos})
	}
	for pos < len(data) {
		kind, payload, ok := parse(data[pos:])
		if ok {
			if err := each(kind, payload, place{s, int64(pos), int32(len(payload))}); err != nil {
				return err
			}
			pos += frameHead + len(payload)
			continue
		}
		to := next(pos)
		if to == len(data) {
			found.TornBytes += int64(len(data) - pos)
			s.size = int64(pos)
			if err := s.file.Truncate(s.size); err != nil {
				return err
			}
			break
		}
		damage = append(damage, span{pos, to})
		pos = to
	}
	found.setAside(s.file.Name()+".damaged", data, damage)
	return nil
}

// span is bytes from one place to before another.
type span struct{ from, to int }

// begun reports whether a segment had just been begun when its process or machine
// ended: its head is not there, or only its length is.
func begun(data []byte) bool {
	return len(data) < len(header) || len(bytes.TrimLeft(data, "\x00")) == 0
}
