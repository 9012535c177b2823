// Package engine runs the real ClickHouse, as the library libchdb, inside this
// process.
//
// Words:
//
//   - library: libchdb.so, found by the environment variable CHDB_LIB_PATH
//     before the process starts; without it the process ends at once
//   - session: settings and current database, which last until they are set anew
//
// One process has one engine, and it answers one question at a time. It never
// becomes part of the program that ships.
package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	chdb "github.com/chdb-io/chdb-go/chdb-purego"
)

// Engine is ClickHouse on one data folder.
type Engine struct {
	mu      sync.Mutex
	conn    chdb.ChdbConn
	staging string

	// What the session is set to.
	database string
	settings map[string]string
}

// Open starts the engine on a folder, which it makes if it is not there. What
// an earlier process stored there is there. config is the server's configuration
// in XML, "" for none.
func Open(data, config string) (*Engine, error) {
	staging := filepath.Join(data, "staged")
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return nil, err
	}
	place := filepath.Join(data, "engine")
	if config != "" {
		file := filepath.Join(data, "config.xml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			return nil, err
		}
		place += "?config-file=" + file
	}
	conn, err := chdb.NewConnectionFromConnString(place)
	if err != nil {
		return nil, err
	}
	return &Engine{conn: conn, staging: staging, settings: map[string]string{}}, nil
}

// Close ends the engine.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn.Close()
}

// Error is ClickHouse's own refusal.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return e.Message }

var codePattern = regexp.MustCompile(`Code: (\d+)\.`)

func explained(err error) error {
	if err == nil {
		return nil
	}
	message := strings.TrimSpace(err.Error())
	if m := codePattern.FindStringSubmatch(message); m != nil {
		code, _ := strconv.Atoi(m[1])
		return &Error{Code: code, Message: message}
	}
	return &Error{Code: 1002, Message: "Code: 1002. DB::Exception: " + message}
}

var settingName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Statement is a query with all that goes with it.
type Statement struct {
	Database string
	Query    string
	Settings map[string]string
	Data     []byte // of an insert, in ClickHouse's Native format
}

// Run answers one statement in Native format. Statements of several callers
// wait for each other; one whose context has ended is not begun.
func (e *Engine) Run(ctx context.Context, s Statement) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Database != "" && s.Database != e.database {
		if _, err := e.query("USE " + quoteName(s.Database)); err != nil {
			return nil, err
		}
		e.database = s.Database
	}
	if len(s.Data) > 0 {
		return e.insert(s)
	}
	if err := e.set(s.Settings); err != nil {
		return nil, err
	}
	return e.query(s.Query)
}

// set brings the settings of the session to what a statement asks for.
func (e *Engine) set(settings map[string]string) error {
	for name := range e.settings {
		if _, kept := settings[name]; !kept {
			if _, err := e.query("SET " + name + " = DEFAULT"); err != nil {
				return err
			}
			delete(e.settings, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if value, done := e.settings[name]; done && value == settings[name] {
			continue
		}
		if err := known(name); err != nil {
			return err
		}
		if _, err := e.query("SET " + name + " = " + quoteText(settings[name])); err != nil {
			return err
		}
		e.settings[name] = settings[name]
	}
	return nil
}

func known(setting string) error {
	if settingName.MatchString(setting) {
		return nil
	}
	return &Error{Code: 115, Message: fmt.Sprintf("Code: 115. DB::Exception: Unknown setting '%s'. (UNKNOWN_SETTING)", setting)}
}

var insertFormat = regexp.MustCompile(`(?is)\s+FORMAT\s+Native\s*$`)

// insert stages the data as a file and has the engine read it.
func (e *Engine) insert(s Statement) ([]byte, error) {
	at := insertFormat.FindStringIndex(s.Query)
	if at == nil {
		return nil, &Error{Code: 73, Message: "Code: 73. DB::Exception: only inserts in FORMAT Native carry data here. (UNKNOWN_FORMAT)"}
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(s.Settings)) {
		if err := known(name); err != nil {
			return nil, err
		}
		settings = append(settings, name+" = "+quoteText(s.Settings[name]))
	}
	if err := e.set(nil); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(e.staging, "insert-*.native")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(s.Data)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	query := s.Query[:at[0]]
	if len(settings) > 0 {
		query += " SETTINGS " + strings.Join(settings, ", ")
	}
	return e.query(query + " SELECT * FROM file(" + quoteText(f.Name()) + ", 'Native')")
}

func (e *Engine) query(q string) ([]byte, error) {
	if strings.ContainsRune(q, 0) {
		return nil, &Error{Code: 62, Message: "Code: 62. DB::Exception: Syntax error: a NUL byte in the query. (SYNTAX_ERROR)"}
	}
	res, err := e.conn.Query(q, "Native")
	if err != nil {
		return nil, explained(err)
	}
	defer res.Free()
	return append([]byte(nil), res.Buf()...), nil // Buf is memory of the library
}

func quoteName(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
