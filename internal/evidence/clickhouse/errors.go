package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// ErrClosed says that the writer was closed before the batch was taken.
var ErrClosed = errors.New("evidence store is closed")

// code returns ClickHouse's number of an error, 0 if it is not ClickHouse's.
func code(err error) int32 {
	var e *driver.Exception
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// ClickHouse's numbers of the errors that are told apart here.
const (
	codeUnknownDatabase  = 81
	codeUnknownTable     = 60
	codeReadOnly         = 164
	codeNoSpace          = 243
	codeTooManyParts     = 252
	codeAccessDenied     = 497
	codeAuthentication   = 516
	codeRequiredPassword = 194
	codeUnknownUser      = 192
	codeWrongPassword    = 193
)

// poisonous are errors that mean a row, not the server, is at fault.
var poisonous = map[int32]string{
	6:   "a value does not fit its column",
	27:  "a value does not fit its column",
	38:  "a time does not fit its column",
	41:  "a time does not fit its column",
	53:  "a value does not fit its column",
	69:  "a value is out of bounds",
	70:  "a value does not fit its column",
	117: "the data is not what the server expects",
	128: "a value is too large",
	131: "a text is too large",
	190: "lists of the row do not fit each other",
	349: "a value is missing",
	469: "a constraint of the schema refuses the row",
}

// poison returns the reason if err means that a row, not the server, is at
// fault. The text is ours: ClickHouse's could quote the row.
func poison(err error) (reason string, ok bool) {
	var bad *intake.RowError
	if errors.As(err, &bad) {
		return bad.Reason, true
	}
	c := code(err)
	if reason, ok := poisonous[c]; ok {
		return fmt.Sprintf("%s (ClickHouse code %d)", reason, c), true
	}
	var e *driver.Exception
	if c == codeTooManyParts && errors.As(err, &e) && strings.Contains(e.Message, "Too many partitions") {
		return "the times of the row would make one partition too many", true
	}
	return "", false
}

// unreachable reports whether the server could not be asked at all.
func unreachable(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) || errors.As(err, &dns) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrAcquireConnTimeout)
}

// explain adds where and what to do. The text of ClickHouse is left out where
// it could quote rows; its number stays.
func explain(place string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	c := code(err)
	switch c {
	case codeAuthentication, codeRequiredPassword, codeUnknownUser, codeWrongPassword:
		return &storeError{place, "refuses user name or password; set them in the exporter (username, password) or the DSN", err}
	case codeReadOnly, codeAccessDenied:
		return &storeError{place, "does not let this user write; grant SELECT, INSERT, ALTER DELETE and, for create_schema, CREATE; to read over HTTP a user needs readonly = 2 or 0", err}
	case codeNoSpace:
		return &storeError{place, "has no disk space left; make room, the batch is tried again", err}
	case codeUnknownTable, codeUnknownDatabase:
		return &storeError{place, "has no evidence tables; let the collector make them (create_schema: true)", err}
	case 0:
		if unreachable(err) {
			return &storeError{place, "is not reachable; start it, or name another (the exporter's dsn, or --store)", err}
		}
		return &storeError{place, "did not answer as a ClickHouse server does", err}
	}
	return &storeError{place, fmt.Sprintf("refused with ClickHouse code %d; its own log says more", c), err}
}

// storeError is an error about the store as a whole. It says no more than what
// was wrong: the wrapped error may quote a row or a password.
type storeError struct {
	place, what string
	err         error
}

func (e *storeError) Error() string {
	return fmt.Sprintf("evidence store %s %s", e.place, e.what)
}

func (e *storeError) Unwrap() error { return e.err }
