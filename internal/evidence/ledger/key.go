package ledger

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// KeyName is the name that keys sign under.
const KeyName = "otelcol-agent-evidence"

// Key signs checkpoints.
type Key struct {
	note.Signer
	Verifier string // verifier key, which may be given to anybody
}

// ErrNoKey says that there is no key and none can be made.
var ErrNoKey = errors.New("no key can be read there and none can be made")

// PublicFile is where the verifier key of a key file lies.
func PublicFile(path string) string { return path + ".pub" }

// LoadKey returns the ed25519 key in the file, which it makes first if there is
// none, with mode 0600 and its verifier key beside it. Of several processes that
// do so at once all get the key of the one that was first.
func LoadKey(path string, random io.Reader) (Key, error) {
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		skey, _, err := note.GenerateKey(random, KeyName)
		if err == nil {
			err = place(path, skey+"\n", 0o600)
		}
		if err != nil {
			return Key{}, fmt.Errorf("signing key %s: %w: %w; give this user write access to the folder, or name another file", path, ErrNoKey, err)
		}
		text, err = readPrivate(path)
		if err != nil {
			return Key{}, err
		}
	} else if where := (*fs.PathError)(nil); errors.As(err, &where) { // of a folder that this user may not enter
		return Key{}, fmt.Errorf("signing key %s: %w: %w; give this user access to the folder, or name another file", path, ErrNoKey, where.Err)
	} else if err != nil {
		return Key{}, err
	}
	key, err := parseKey(text)
	if err != nil {
		return Key{}, fmt.Errorf("signing key %s: %w; move it away to have a new one made", path, err)
	}
	if _, err := os.Stat(PublicFile(path)); errors.Is(err, fs.ErrNotExist) {
		// A folder in which the key can only be read is no reason to stop.
		_ = place(PublicFile(path), key.Verifier+"\n", 0o644)
	}
	return key, nil
}

// LoadVerifier returns the verifier key that a file holds; a signing key will do.
func LoadVerifier(path string) (string, error) {
	b, err := os.ReadFile(path) // #nosec G304 -- the user names the file
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if key, err := parseKey(text); err == nil {
		return key.Verifier, nil
	}
	if _, err := note.NewVerifier(text); err != nil {
		return "", fmt.Errorf("%s holds neither a verifier key nor a signing key", path)
	}
	return text, nil
}

// Verifiers returns the keys of these verifier keys.
func Verifiers(keys []string) (note.Verifiers, error) {
	var list []note.Verifier
	seen := map[string]bool{}
	for _, k := range keys {
		if seen[k] {
			continue
		}
		seen[k] = true
		v, err := note.NewVerifier(k)
		if err != nil {
			return nil, fmt.Errorf("verifier key: %w", err)
		}
		list = append(list, v)
	}
	return note.VerifierList(list...), nil
}

// NameOf is what a verifier key is called in what people read: its name and the
// hash by which signatures name it.
func NameOf(verifier string) string {
	parts := strings.SplitN(verifier, "+", 3)
	return strings.Join(parts[:min(2, len(parts))], "+")
}

func readPrivate(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("signing key %s must be a regular file, found %s", path, info.Mode().Type())
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("signing key %s must be readable by its owner only, found mode %04o; run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	b, err := os.ReadFile(path) // #nosec G304 -- the user names the file
	return strings.TrimSpace(string(b)), err
}

func parseKey(skey string) (Key, error) {
	s, err := note.NewSigner(skey)
	if err != nil {
		return Key{}, errors.New("the file holds no ed25519 signing key in note format")
	}
	// PRIVATE+KEY+name+hash+key; base64 has pluses of its own.
	parts := strings.SplitN(skey, "+", 5)
	seed, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return Key{}, errors.New("the file holds no ed25519 signing key in note format")
	}
	public, _ := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	verifier, err := note.NewEd25519VerifierKey(s.Name(), public)
	return Key{s, verifier}, err
}

// place writes a whole file under another name and links it into place, which
// fails if the name is taken; that is no error.
func place(path, text string, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
