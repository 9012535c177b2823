package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Append writes a line to a file of a folder, both of which it makes. Lines of several
// processes do not mix: each is one write to the end. Whoever makes the file removes the
// journals beside it that nothing was written to since a time.
func Append(folder, name string, line []byte, since time.Time) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		err = forget(folder, since)
	case errors.Is(err, fs.ErrExist):
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	}
	if f == nil {
		return err
	}
	_, failed := f.Write(line)
	return errors.Join(err, failed, f.Close())
}

func forget(folder string, since time.Time) error {
	files, err := os.ReadDir(folder)
	for _, file := range files {
		info, gone := file.Info()
		if gone == nil && filepath.Ext(file.Name()) == ".jsonl" && info.Mode().IsRegular() && info.ModTime().Before(since) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, file.Name())))
		}
	}
	return err
}
