package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// keepsKey refuses a store whose log would go on with another key than that of
// its newest checkpoint. It changes nothing.
func keepsKey(conn *sql.Conn, path, keyFile string) error {
	var text string
	err := conn.QueryRowContext(uninterrupted, "SELECT name FROM sqlite_schema WHERE name = 'checkpoints'").Scan(&text)
	if err == nil {
		err = conn.QueryRowContext(uninterrupted, "SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1").Scan(&text)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it has no log yet
	}
	if err != nil {
		return explain(path, err)
	}
	key, err := ledger.LoadVerifier(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return otherKey(path, keyFile, text, "no key is there")
	}
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	keys, err := ledger.Verifiers([]string{key})
	if err != nil {
		return err
	}
	if _, err := ledger.OpenCheckpoint([]byte(text), keys); errors.Is(err, ledger.ErrUnsigned) {
		return otherKey(path, keyFile, text, "the key there is "+ledger.NameOf(key))
	}
	return nil
}

func otherKey(path, keyFile, checkpoint, found string) error {
	return fmt.Errorf("the log of evidence store %s is signed by the key %s, which is looked for in %s: %s; name the file that the collector signs with (--key-file), or give --new-key to go on with a key of this file, which the log will say",
		path, ledger.Signer([]byte(checkpoint)), keyFile, found)
}

// otherKey is what the settings want done about a log that another key signed.
func (s *Settings) otherKey(path string, checkpoint []byte) error {
	now := ledger.NameOf(s.key.Verifier)
	if s.KeepKey {
		return otherKey(path, s.KeyFile, string(checkpoint), "the key there is "+now)
	}
	if s.KeyChanged != nil {
		s.KeyChanged(ledger.Signer(checkpoint), now)
	}
	return nil
}
