package runlog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// asideBytes bounds what is set aside in a directory altogether.
const asideBytes = 64 << 20

// setAside copies damaged bytes to a file of their own, for people: the segment is read
// on, and goes when what can be read of it has been sent. Damage that an earlier start
// found is not told again. That the bytes cannot be copied, since the disk is full or
// much was set aside before, is no reason not to start.
func (f *Found) setAside(name string, data []byte, damage []span) {
	var bytes []byte
	for _, d := range damage {
		bytes = append(bytes, data[d.from:d.to]...)
	}
	if len(bytes) == 0 {
		return
	}
	if before, err := os.ReadFile(name); err == nil && slices.Equal(before, bytes) {
		return
	}
	f.DamagedBytes += int64(len(bytes))
	if asideIn(filepath.Dir(name))+int64(len(bytes)) > asideBytes {
		return
	}
	if err := os.WriteFile(name, bytes, 0o600); err != nil {
		_ = os.Remove(name)
		return
	}
	f.SetAside = append(f.SetAside, filepath.Base(name))
}

// moveAside leaves a file that holds nothing readable to people.
func (f *Found) moveAside(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	aside := file.Name() + ".damaged"
	if err := errors.Join(file.Close(), os.Rename(file.Name(), aside)); err != nil {
		return err
	}
	f.DamagedBytes += info.Size()
	f.SetAside = append(f.SetAside, filepath.Base(aside))
	return nil
}

func asideIn(dir string) (n int64) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.damaged"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
