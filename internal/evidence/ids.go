package evidence

import "encoding/hex"

// TaskID names a task inside its tenant.
type TaskID string

// TraceID is a W3C trace id.
type TraceID [16]byte

// SpanID is a W3C span id.
type SpanID [8]byte

// RecordID identifies a log record by a digest of what it says, so that the
// same record sent twice is one row.
type RecordID [16]byte

// StepID names a span. The zero value names none.
type StepID struct {
	Trace TraceID
	Span  SpanID
}

// String returns 32 lower-case hex digits, or "" for the zero id.
func (t TraceID) String() string {
	if t == (TraceID{}) {
		return ""
	}
	return hex.EncodeToString(t[:])
}

// String returns 16 lower-case hex digits, or "" for the zero id.
func (s SpanID) String() string {
	if s == (SpanID{}) {
		return ""
	}
	return hex.EncodeToString(s[:])
}

// String returns 32 lower-case hex digits.
func (r RecordID) String() string { return hex.EncodeToString(r[:]) }

// IsZero reports whether the id names no span.
func (s StepID) IsZero() bool { return s.Span == SpanID{} }

// String returns trace id and span id with a slash between.
func (s StepID) String() string { return s.Trace.String() + "/" + s.Span.String() }
