package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

func (s *Settings) keyName() string {
	u, err := url.Parse(s.DSN)
	if err != nil {
		return "clickhouse.key"
	}
	name := u.Hostname()
	if p := u.Port(); p != "" {
		name += "_" + p
	}
	name += "_" + cmp.Or(strings.Trim(u.Path, "/"), DefaultDatabase)
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			return '_'
		}
		return r
	}, name) + ".key"
}

// sharedAfter is how long after the beginning of a log others of the same key are
// no leftovers.
const sharedAfter = 5 * time.Minute

// DefaultKeyFile is where the key that signs lies that nobody configured: in
// folder, which is the machine's own, under the name of server and database.
func (s *Settings) DefaultKeyFile(folder string) string { return filepath.Join(folder, s.keyName()) }

// open looks whether the key is one that the store knows.
func (l *rowLog) open(ctx context.Context) error {
	var known []string
	err := l.c.each(ctx, "SELECT DISTINCT toString(signer) FROM "+l.c.layout.spread("log_heads"), func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		known = append(known, name)
		return err
	})
	if err != nil {
		return err
	}
	if l.settings.KeepKey {
		return l.keeps(known)
	}
	name := ledger.NameOf(l.key.Verifier)
	if len(known) > 0 && !slices.Contains(known, name) && l.settings.KeyNew != nil {
		l.settings.KeyNew(name)
	}
	return nil
}

// keeps refuses a key that has signed nothing where others have.
func (l *rowLog) keeps(known []string) error {
	if len(known) == 0 {
		return nil
	}
	found := "no key is there"
	key, err := ledger.LoadVerifier(l.settings.KeyFile)
	switch {
	case err == nil && slices.Contains(known, ledger.NameOf(key)):
		return nil
	case err == nil:
		found = "the key there, " + ledger.NameOf(key) + ", has signed nothing in this store"
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("signing key: %w", err)
	}
	return fmt.Errorf("what is done to evidence store %s is signed, with a key that is looked for in %s: %s; name the file that a collector of this store signs with (--key-file), or give --new-key to sign with a key of this file, whose public half `verify` then needs too",
		l.c.place, l.settings.KeyFile, found)
}

// shared looks whether another writer signs with the same key, which harms
// nothing and was hardly meant: each has a log of its own.
func (l *rowLog) shared(ctx context.Context) error {
	l.beginning.Lock()
	begun := l.begun
	l.beginning.Unlock()
	if !begun || l.settings.KeyShared == nil {
		return nil
	}
	name := ledger.NameOf(l.key.Verifier)
	var n uint64
	// A former process of the same collector may have been heard for a moment longer.
	query := fmt.Sprintf("SELECT uniqExact(log) FROM %[1]s WHERE signer = %[2]s AND log != %[3]s AND made_ns > (SELECT min(made_ns) FROM %[1]s WHERE log = %[3]s) + %[4]d",
		l.c.layout.spread("log_heads"), quoteText(name), quoteText(l.origin), int64(sharedAfter))
	err := l.c.one(ctx, query, &n)
	if err == nil && n > 0 {
		l.settings.KeyShared(name)
	}
	return err
}
