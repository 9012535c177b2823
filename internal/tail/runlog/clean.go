package runlog

// atOnce bounds the bytes that one Flush copies.
const atOnce = 8 << 20

// clean removes segments without live pieces, oldest first, and copies the pieces
// of the oldest on when that frees more than it writes. What is forgotten goes when it is
// on the disk what was decided of it; on a full disk before, as nothing else makes room.
func (l *Log) clean(full bool) error {
	for copied := int64(0); ; {
		l.mu.Lock()
		if len(l.pieces.segments) < 2 {
			err := l.startOver(full)
			l.mu.Unlock()
			return err
		}
		s := l.pieces.segments[0]
		crowded := l.pieces.bytes > l.set.MaxBytes*3/4
		if s.unsaid > 0 && !full || s.live > 0 && (copied > atOnce || s.live > s.size/4 && !(crowded && s.live < s.size*3/4)) {
			l.mu.Unlock()
			return nil
		}
		ids := make([]uint64, 0)
		if s.live > 0 {
			for id, p := range l.index {
				if p.segment == s {
					ids = append(ids, id)
				}
			}
		}
		l.mu.Unlock()
		for _, id := range ids {
			n, err := l.copyOn(id, s)
			if err != nil {
				return err
			}
			copied += n
		}
		if len(ids) > 0 {
			if err := l.pieces.sync(); err != nil {
				return err
			}
		}
		l.mu.Lock()
		var err error
		if s.live == 0 {
			err = l.pieces.removeOldest()
		}
		l.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// startOver empties the only segment when nothing in it is live, so that room comes back
// where there is too little for another one. The caller has the lock.
func (l *Log) startOver(full bool) error {
	if len(l.pieces.segments) == 0 || len(l.index) > 0 {
		return nil
	}
	if s := l.pieces.segments[0]; s.size <= worthClosing || s.unsaid > 0 && !full {
		return nil
	}
	return l.pieces.startOver()
}

func (l *Log) copyOn(id uint64, from *segment) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.index[id]
	if !ok || p.segment != from {
		return 0, nil
	}
	b, err := l.pieces.read(p)
	if err != nil {
		l.drop(id) // it cannot be read: its run is told so when it is decided
		return 0, err
	}
	frame, at := begin(make([]byte, 0, frameHead+len(b)), kindPiece)
	frame = append(frame, b...)
	end(frame, at)
	s, base, err := l.pieces.append(frame)
	if err != nil {
		return 0, err
	}
	from.live -= int64(p.n)
	s.live += int64(p.n)
	l.index[id] = place{s, base, p.n}
	return int64(len(frame)), nil
}
