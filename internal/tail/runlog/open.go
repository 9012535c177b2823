package runlog

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// Found says what a start came across.
type Found struct {
	TornBytes    int64       // at the end of segments: what was being written when the process ended
	DamagedBytes int64       // that are no frames although frames follow
	SetAside     []string    // names of the files that these bytes were copied to
	Missing      int         // segments that are gone from between others
	Full         bool        // the disk: nothing is taken until there is room
	OpenTo       os.FileMode // how far the directory is open to others, where that could not or may not be changed
}

func (l *Log) open(each func([]tail.Key, tail.Decision)) (pending []Pending, found Found, err error) {
	if err := os.MkdirAll(l.set.Directory, 0o700); err != nil {
		return nil, found, err
	}
	if l.set.Sync == nil {
		l.set.Sync = (*os.File).Sync
	}
	_ = syncDir(filepath.Dir(l.set.Directory), l.set.Sync) // one that may not be read cannot be
	if l.lock, err = lock(filepath.Join(l.set.Directory, "LOCK")); err != nil {
		return nil, found, err
	}
	if found.OpenTo, err = tighten(l.set.Directory); err != nil {
		return nil, found, err
	}
	if l.set.Write == nil {
		l.set.Write = (*os.File).WriteAt
	}
	l.pieces = journal{put: l.set.Sync, write: l.set.Write, dir: l.set.Directory, name: "pieces", limit: segmentOf(l.set.MaxBytes, 64)}
	l.decided = decisions{journal: journal{put: l.set.Sync, write: l.set.Write, dir: l.set.Directory, name: "decided", limit: 8 << 20}, remember: l.set.Remember}
	l.limbo.init(l.set)
	l.reject = rejected{path: filepath.Join(l.set.Directory, "rejected.jsonl"), limit: rejectedBytes}
	arrived := map[uint64]Pending{}
	err = l.pieces.recover(&found, func(kind byte, b []byte, at place) error {
		switch {
		case kind == kindPiece && len(b) >= pieceHead:
			id := binary.LittleEndian.Uint64(b)
			if old, twice := l.index[id]; twice {
				old.segment.live -= int64(old.n)
			}
			at.segment.live += int64(at.n)
			l.index[id] = at
			arrived[id] = Pending{id, time.Unix(0, int64(binary.LittleEndian.Uint64(b[8:]))), int(binary.LittleEndian.Uint32(b[16:]))}
			l.lastID = max(l.lastID, id)
		case kind == kindForget:
			for ; len(b) >= 8; b = b[8:] {
				id := binary.LittleEndian.Uint64(b)
				_, _ = l.drop(id)
				delete(arrived, id)
				l.lastID = max(l.lastID, id)
			}
		}
		return nil
	})
	if err != nil {
		return nil, found, err
	}
	if err := l.decided.open(&found, each); err != nil {
		return nil, found, err
	}
	if err := l.limbo.open(&found); err != nil {
		return nil, found, err
	}
	if err := l.writable(&found); err != nil {
		return nil, found, err
	}
	for _, p := range arrived {
		pending = append(pending, p)
	}
	sortPending(pending)
	return pending, found, nil
}

// writable tells whether the directory can be written to, by beginning a segment. On a
// full disk it is gone on with what is there, so that what is sent makes room.
func (l *Log) writable(found *Found) error {
	err := l.pieces.roll()
	for isFull(err) && l.limbo.yield() {
		err = l.pieces.roll()
	}
	if isFull(err) && len(l.pieces.segments) > 0 {
		found.Full = true
		return nil
	}
	return err
}

// tighten closes a directory to others, if all that is in it came from here: whoever
// names /var/lib does not mean that. What is written there is closed to others anyhow.
// It returns the mode that stays. The directory of another user that may be written to,
// as container platforms mount one, is taken as it is.
func tighten(dir string) (stays os.FileMode, err error) {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() == 0o700 {
		return 0, err
	}
	ours, err := onlyOurs(dir)
	if err != nil {
		return 0, err
	}
	if ours && os.Chmod(dir, 0o700) == nil {
		return 0, nil
	}
	return info.Mode().Perm() & 0o077, nil
}

func onlyOurs(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		ours := false
		for _, pattern := range []string{"LOCK", "lost+found", "pieces-*.log*", "decided-*.log*", "limbo-*.log*", "rejected*.jsonl"} {
			match, _ := filepath.Match(pattern, e.Name())
			ours = ours || match
		}
		if !ours {
			return false, nil
		}
	}
	return true, nil
}
