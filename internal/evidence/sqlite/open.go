package sqlite

import (
	"database/sql"
	"fmt"
)

// Open opens the store at path for writing, makes it if it is not there, and
// brings an older schema up to date. A file that is not an evidence store, or
// one of a later schema, is refused and left as it is.
func Open(path string, settings Settings) (*Writer, error) {
	settings.defaults(path)
	known, err := migrations(schemaFiles)
	if err != nil {
		return nil, err
	}
	c, err := connect(path, known, &settings)
	if err != nil {
		return nil, err
	}
	w := &Writer{
		path: path, settings: settings, known: known, c: c,
		work: make(chan *request, 64), done: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

const (
	// pageSize holds several spans; larger pages cost more per commit, smaller
	// ones spill long attribute lists.
	pageSize = 8192
	// checkpointPages is how long the write-ahead log gets before its pages go
	// to the database file: 32 MiB, so that a page changed often moves once.
	checkpointPages = 4096
	cacheKiB        = 32 << 10
)

// connect opens the writer's one connection.
func connect(path string, known []migration, settings *Settings) (_ *connection, err error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	name, err := uri(path, "rw", fmt.Sprintf("busy_timeout(%d)", settings.BusyTimeout.Milliseconds()))
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(uninterrupted)
	if err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	c := newConnection(db, conn, settings.Random)
	defer func() {
		if err != nil {
			_ = c.close()
		}
	}()
	empty, err := identify(uninterrupted, conn, path)
	if err != nil {
		return nil, explain(path, err)
	}
	var pragmas []string
	if empty { // these two can be chosen only now
		pragmas = append(pragmas, fmt.Sprintf("page_size = %d", pageSize), "auto_vacuum = INCREMENTAL")
	} else if _, err := applied(uninterrupted, conn, known, path); err != nil {
		return nil, explain(path, err)
	}
	if settings.KeepKey && !empty {
		if err := keepsKey(conn, path, settings.KeyFile); err != nil {
			return nil, err
		}
	}
	pragmas = append(pragmas, "journal_mode = WAL", "synchronous = FULL",
		fmt.Sprintf("wal_autocheckpoint = %d", checkpointPages), fmt.Sprintf("cache_size = -%d", cacheKiB),
		fmt.Sprintf("journal_size_limit = %d", 2*checkpointPages*pageSize))
	for _, p := range pragmas {
		if _, err := conn.ExecContext(uninterrupted, "PRAGMA "+p); err != nil {
			return nil, explain(path, err)
		}
	}
	if err := migrate(uninterrupted, conn, known, path, settings.now()); err != nil {
		return nil, explain(path, err)
	}
	if c.log.key, err = settings.signer(); err != nil {
		return nil, err
	}
	c.log.other = func(note []byte) error { return settings.otherKey(path, note) }
	// A new store begins its log now, and one whose key is another says so.
	if err = c.begin(settings.now()); err == nil {
		err = c.commit(settings.now())
	}
	if err != nil {
		c.rollback()
		return nil, explain(path, fmt.Errorf("begin the log of evidence store %s: %w", path, err))
	}
	return c, nil
}
