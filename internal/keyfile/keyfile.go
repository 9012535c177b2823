// Package keyfile keeps the one secret of a machine under which digests are
// made, so that all steps of one installation make equal digests of equal
// content.
//
// Words:
//
//   - key: the text in the file; its bytes are the secret
//   - beside the store: the file is in the folder of the evidence store, which
//     is as private as the evidence is
//
// The package makes no digests and does not choose who shares a key.
package keyfile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	NewBytes = 32 // of a new key, before it is written in hex
	MinBytes = 16 // of a key that somebody wrote

	fileName = "redaction.key"
)

// OneByte reports whether a key is one byte over and over, which nobody drew at
// random.
func OneByte(key string) bool { return key != "" && strings.Trim(key, key[:1]) == "" }

// Beside is the file beside the evidence store of a single machine: below
// dataHome ($XDG_DATA_HOME), else home's .local/share. It is empty if neither is
// an absolute path.
func Beside(dataHome, home string) string {
	if !filepath.IsAbs(dataHome) { // the specification says to ignore a relative one
		if !filepath.IsAbs(home) {
			return ""
		}
		dataHome = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dataHome, "otelcol-agent", fileName)
}

// Load returns the key in the file, which it makes of random bytes first if
// there is none. Several processes may do so at once: all get the key of the one
// that was first, and nobody sees half a key.
func Load(path string, random io.Reader) (string, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path, random); err != nil {
		return "", fmt.Errorf("digest_key_file %s cannot be made: %w; set digest_key, or digest_key_file to a folder that can be written", path, err)
	}
	return readKey(path)
}

func readKey(path string) (string, error) {
	info, err := os.Stat(path) // first: to open a pipe would wait for a writer
	switch {
	case err != nil:
		return "", fmt.Errorf("digest_key_file: %w", err)
	case info.IsDir():
		return "", fmt.Errorf("digest_key_file %s must be a file, found a folder; name a file in it, such as %s", path, filepath.Join(path, fileName))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("digest_key_file %s must be a regular file, found %s", path, info.Mode().Type())
	}
	f, err := os.Open(path) // #nosec G304 -- the user names the file
	if err != nil {
		return "", fmt.Errorf("digest_key_file: %w", err)
	}
	defer f.Close()
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o007 != 0 {
		return "", fmt.Errorf("digest_key_file %s must not be open to everybody, found mode %04o; run: chmod 600 %s", path, mode, path)
	}
	var buf [4096]byte
	n, err := f.Read(buf[:])
	if err != nil && n > 0 {
		return "", fmt.Errorf("digest_key_file %s: %w", path, err)
	}
	key := strings.TrimSpace(string(buf[:n]))
	if len(key) < MinBytes {
		return "", fmt.Errorf("digest_key_file %s must hold at least %d bytes, found %d", path, MinBytes, len(key))
	}
	if OneByte(key) {
		return "", fmt.Errorf("digest_key_file %s must hold a random key, found one byte repeated %d times; remove it to have one made", path, len(key))
	}
	return key, nil
}

// makeKey writes a complete file under another name and links it into place,
// which fails if the name is taken. A taken name is not an error.
func makeKey(path string, random io.Reader) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	raw := make([]byte, NewBytes)
	if _, err := io.ReadFull(random, raw); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+fileName+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(hex.EncodeToString(raw) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
