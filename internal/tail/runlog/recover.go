package runlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Found says what a start came across.
type Found struct {
	TornBytes    int64    // at the end of segments: what was being written when the process ended
	DamagedBytes int64    // that are no frames although frames follow
	SetAside     []string // names of copies of damaged segments
}

// recover reads all segments and calls each for every frame, with its place.
func (j *journal) recover(found *Found, each func(kind byte, payload []byte, at place) error) error {
	defer func() { j.scanned = nil }()
	numbers, err := j.found()
	if err != nil {
		return err
	}
	for _, number := range numbers {
		s, err := j.open(number)
		if err != nil {
			return err
		}
		if err := j.scan(s, found, each); err != nil {
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
	if string(data[:len(header)]) != header {
		return fmt.Errorf("is not a segment that this version reads; move it out of storage.directory")
	}
	damaged := false
	for pos := len(header); pos < len(data); {
		kind, payload, ok := parse(data[pos:])
		if ok {
			if err := each(kind, payload, place{s, int64(pos), int32(len(payload))}); err != nil {
				return err
			}
			pos += frameHead + len(payload)
			continue
		}
		skip := next(data[pos:])
		if pos+skip >= len(data) {
			found.TornBytes += int64(len(data) - pos)
			s.size = int64(pos)
			if err := s.file.Truncate(s.size); err != nil {
				return err
			}
			break
		}
		damaged = true
		found.DamagedBytes += int64(skip)
		pos += skip
	}
	if damaged {
		aside := s.file.Name() + ".damaged"
		if err := os.Link(s.file.Name(), aside); err != nil && !os.IsExist(err) {
			return err
		}
		found.SetAside = append(found.SetAside, filepath.Base(aside))
	}
	return nil
}

// begun reports whether a segment had just been begun when its process or machine
// ended: its head is not there, or only its length is.
func begun(data []byte) bool {
	return len(data) < len(header) || len(bytes.TrimLeft(data, "\x00")) == 0
}
