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
	"os"
	"path/filepath"
	"regexp"
	"sort"
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
}

// Open starts the engine on a folder, which it makes if it is not there. What
// an earlier process stored there is there.
func Open(data string) (*Engine, error) {
	staging := filepath.Join(data, "staged")
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return nil, err
	}
	conn, err := chdb.NewConnectionFromConnString(filepath.Join(data, "engine"))
	if err != nil {
		return nil, err
	}
	return &Engine{conn: conn, staging: staging}, nil
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
	if s.Database != "" {
		if _, err := e.query("USE " + quoteName(s.Database)); err != nil {
			return nil, err
		}
	}
	undo, err := e.set(s.Settings)
	defer undo()
	if err != nil {
		return nil, err
	}
	if len(s.Data) == 0 {
		return e.query(s.Query)
	}
	return e.insert(s.Query, s.Data)
}

// set changes settings of the session and returns how to take that back.
func (e *Engine) set(settings map[string]string) (undo func(), err error) {
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	done := 0
	undo = func() {
		for _, name := range names[:done] {
			_, _ = e.query("SET " + name + " = DEFAULT")
		}
	}
	for _, name := range names {
		if !settingName.MatchString(name) {
			return undo, &Error{Code: 115, Message: fmt.Sprintf("Code: 115. DB::Exception: Unknown setting '%s'. (UNKNOWN_SETTING)", name)}
		}
		if _, err := e.query("SET " + name + " = " + quoteText(settings[name])); err != nil {
			return undo, err
		}
		done++
	}
	return undo, nil
}

var insertFormat = regexp.MustCompile(`(?is)\s+FORMAT\s+Native\s*$`)

// insert stages the data as a file and has the engine read it.
func (e *Engine) insert(query string, data []byte) ([]byte, error) {
	at := insertFormat.FindStringIndex(query)
	if at == nil {
		return nil, &Error{Code: 73, Message: "Code: 73. DB::Exception: only inserts in FORMAT Native carry data here. (UNKNOWN_FORMAT)"}
	}
	f, err := os.CreateTemp(e.staging, "insert-*.native")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return e.query(query[:at[0]] + " SELECT * FROM file(" + quoteText(f.Name()) + ", 'Native')")
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
