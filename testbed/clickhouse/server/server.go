// Package server speaks ClickHouse's two protocols for an engine: HTTP, as far as
// clients of the native format need it, and the native one of port 9000.
//
// Words:
//
//   - hello: over HTTP the query by which a client asks for name, version and
//     revision, answered with revision 0, so that blocks are written the plain
//     way; the first packet of the native protocol, answered with a real revision
//   - user: who asks; a read-only one may ask and not write
//   - token: instead of a password, in an Authorization: Bearer header
//   - code: ClickHouse's number of an error, in X-ClickHouse-Exception-Code
//
// What it leaves out: external tables, formats other than Native, query
// parameters, sessions.
package server

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/engine"
)

// Engine answers statements in Native format.
type Engine interface {
	Run(ctx context.Context, s engine.Statement) ([]byte, error)
}

// User is somebody who may ask.
type User struct {
	Name, Password string
	Token          string // if set, it is as good as name and password
	ReadOnly       bool
}

// Server is an http.Handler. Without users everybody may do everything.
type Server struct {
	Engine Engine
	Users  []User
	// Log, if set, is told of every error that a client gets.
	Log func(message string)
}

// maxBody is the most that one insert may carry.
const maxBody = 1 << 30

// ClickHouse's numbers of the errors that do not come from the engine.
const (
	codeReadOnly       = 164
	codeAuthentication = 516
	codeBadArguments   = 36
	codeCompressed     = 271
	codeNotImplemented = 48
)

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" {
		_, _ = io.WriteString(w, "Ok.\n")
		return
	}
	user, ok := s.user(r)
	if !ok {
		s.refuse(w, authenticationFailed())
		return
	}
	statement, compressed, err := read(r)
	if err == nil && user.ReadOnly {
		err = mayRead(statement)
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	var out []byte
	if strings.HasPrefix(statement.Query, "SELECT displayName()") {
		out, err = hello(r.URL.Query().Get("client_protocol_version"))
	} else {
		out, err = s.Engine.Run(r.Context(), statement)
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	if compressed && len(out) > 0 {
		c := compress.NewWriter(0, compress.LZ4)
		if err := c.Compress(out); err != nil {
			s.refuse(w, err)
			return
		}
		out = c.Data
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}

func (s *Server) user(r *http.Request) (User, bool) {
	if len(s.Users) == 0 {
		return User{}, true
	}
	token, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	name, password, basic := r.BasicAuth()
	if !basic {
		name, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	}
	if !isToken {
		return s.known(name, password)
	}
	for _, u := range s.Users {
		if u.Token != "" && same(u.Token, token) {
			return u, true
		}
	}
	return User{}, false
}

func (s *Server) known(name, password string) (User, bool) {
	for _, u := range s.Users {
		if u.Name == name && same(u.Password, password) {
			return u, true
		}
	}
	return User{}, len(s.Users) == 0
}

func authenticationFailed() *engine.Error {
	return &engine.Error{Code: codeAuthentication, Message: fmt.Sprintf("Code: %d. DB::Exception: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)", codeAuthentication)}
}

func asEngineError(err error) *engine.Error {
	var e *engine.Error
	if errors.As(err, &e) {
		return e
	}
	return &engine.Error{Code: 1002, Message: "Code: 1002. DB::Exception: " + err.Error()}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// notSettings are parameters of a request that are no settings of the engine.
var notSettings = map[string]bool{
	"query": true, "database": true, "compress": true, "decompress": true, "default_format": true, "query_id": true, "quota_key": true,
	"client_protocol_version": true, "network_compression_method": true, "network_zstd_compression_level": true,
	"wait_end_of_query": true, "user": true, "password": true, "session_id": true, "buffer_size": true,
	// A question whose client has gone is not begun here; the engine cannot be stopped.
	"cancel_http_readonly_queries_on_client_close": true,
}

// read takes a request apart; compressed says whether the answer is to be.
func read(r *http.Request) (s engine.Statement, compressed bool, err error) {
	q := r.URL.Query()
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return s, false, fmt.Errorf("request body: %w", err)
	}
	s = engine.Statement{Database: q.Get("database"), Query: q.Get("query"), Settings: settings(q)}
	if s.Query == "" {
		s.Query = string(body)
	} else {
		s.Data = body
	}
	if q.Get("decompress") == "1" && len(s.Data) > 0 {
		// The reader tells the end of the last block as an error around io.EOF.
		if s.Data, err = io.ReadAll(compress.NewReader(bytes.NewReader(s.Data))); err != nil && !errors.Is(err, io.EOF) {
			return s, false, &engine.Error{Code: codeCompressed, Message: fmt.Sprintf("Code: %d. DB::Exception: compressed data: %v. (CANNOT_DECOMPRESS)", codeCompressed, err)}
		}
	}
	for name := range q {
		if strings.HasPrefix(name, "param_") {
			return s, false, &engine.Error{Code: codeBadArguments, Message: fmt.Sprintf("Code: %d. DB::Exception: this test server takes no query parameters. (BAD_ARGUMENTS)", codeBadArguments)}
		}
	}
	return s, q.Get("compress") == "1", nil
}

func settings(q url.Values) map[string]string {
	out := map[string]string{}
	for name := range q {
		if !notSettings[name] && !strings.HasPrefix(name, "param_") {
			out[name] = q.Get(name)
		}
	}
	return out
}

var reads = regexp.MustCompile(`(?i)^\s*(SELECT|WITH|SHOW|DESCRIBE|DESC|EXISTS|EXPLAIN)\b`)

// mayRead is what readonly = 2 allows: to ask, and to change settings, which the
// client does with every question that has a deadline.
func mayRead(s engine.Statement) error {
	if len(s.Data) == 0 && reads.MatchString(s.Query) && s.Settings["readonly"] == "" {
		return nil
	}
	return &engine.Error{Code: codeReadOnly, Message: fmt.Sprintf("Code: %d. DB::Exception: Cannot execute query in readonly mode. (READONLY)", codeReadOnly)}
}

// status is the HTTP status that ClickHouse gives an error of this code.
func status(code int) int {
	switch code {
	case codeAuthentication:
		return http.StatusForbidden
	case codeReadOnly, 497: // READONLY, ACCESS_DENIED
		return http.StatusForbidden
	case 60, 81: // UNKNOWN_TABLE, UNKNOWN_DATABASE
		return http.StatusNotFound
	case 62, codeBadArguments, 115, 53: // SYNTAX_ERROR, BAD_ARGUMENTS, UNKNOWN_SETTING, TYPE_MISMATCH
		return http.StatusBadRequest
	case 159: // TIMEOUT_EXCEEDED
		return http.StatusRequestTimeout
	}
	return http.StatusInternalServerError
}

func (s *Server) refuse(w http.ResponseWriter, err error) {
	e := asEngineError(err)
	if s.Log != nil {
		s.Log(e.Message)
	}
	w.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(e.Code))
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.WriteHeader(status(e.Code))
	_, _ = io.WriteString(w, e.Message+"\n")
}

// hello is the block that tells a client whom it talks to. It alone is written
// as the client's version of the protocol has it; revision 0 in it makes the
// client read all later ones the plain way.
func hello(protocol string) ([]byte, error) {
	version, err := strconv.ParseUint(protocol, 10, 32)
	if err != nil {
		return nil, &engine.Error{Code: codeBadArguments, Message: fmt.Sprintf("Code: %d. DB::Exception: client_protocol_version is a number. (BAD_ARGUMENTS)", codeBadArguments)}
	}
	b := proto.NewBlock()
	for _, c := range [][2]string{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		if err := b.AddColumn(c[0], column.Type(c[1])); err != nil {
			return nil, err
		}
	}
	if err := b.Append("test server", "26.7.3.1", uint32(0), "UTC"); err != nil {
		return nil, err
	}
	var buf chproto.Buffer
	err = b.Encode(&buf, version)
	return buf.Buf, err
}
