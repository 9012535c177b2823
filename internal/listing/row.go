package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Row is one run of a listing, in the shape of its JSON form. Times are RFC 3339
// in UTC with nanoseconds.
type Row struct {
	ID        string   `json:"id"` // task id or trace id: what the task command takes
	Tenant    string   `json:"tenant"`
	Name      string   `json:"name"` // name of the root span
	Agent     string   `json:"agent"`
	Service   string   `json:"service"`
	Session   string   `json:"session"`   // session, else conversation
	Outcome   string   `json:"outcome"`   // what was claimed, or running
	Supported string   `json:"supported"` // what the evidence supports
	Class     string   `json:"class"`     // first keep class, empty for an ordinary run
	Classes   []string `json:"classes"`   // all keep classes
	Agents    []string `json:"agents"`    // every agent of the run
	Result    string   `json:"result"`    // step, clean or unknown
	Start     string   `json:"start"`
	End       string   `json:"end"`
	Spans     int      `json:"spans"`
	Errors    int      `json:"errors"`

	trace bool // the id is a trace id: its first digits do
}

// RowOf returns the row of a run.
func RowOf(s evidence.Summary) Row {
	id, isTrace := evidence.TaskID(s.ID).Trace()
	if !isTrace {
		id = s.ID
	}
	return Row{
		ID: id, Tenant: s.Tenant, Name: s.Name, Agent: s.Agent, Service: s.Service, Session: s.Session,
		Outcome: s.Outcome, Supported: s.Supported, Class: s.Class, Classes: orEmpty(s.Classes), Agents: orEmpty(s.Agents), Result: s.Result,
		Start: stamp(s.Start), End: stamp(s.End), Spans: s.Spans, Errors: s.Errors,
		trace: isTrace,
	}
}

// orEmpty keeps lists in JSON from being null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func stamp(nanos int64) string {
	if nanos == 0 {
		return ""
	}
	return time.Unix(0, nanos).UTC().Format(time.RFC3339Nano)
}

// Filter says which rows are listed; an empty field asks for nothing.
type Filter struct {
	Class   string
	Outcome string
}

// Outcomes returns the words that an outcome can be: the claims, and running.
func Outcomes() []string {
	return []string{semconv.AppOutcomeCompleted, semconv.AppOutcomeFailed, semconv.AppOutcomeCancelled, semconv.AppOutcomeUnknown, evidence.OutcomeRunning}
}

// Validate refuses words that no row can have: a misspelt class would read as
// if there were none.
func (f Filter) Validate() error {
	return errors.Join(
		oneOf("class", f.Class, evidence.Classes()),
		oneOf("outcome", f.Outcome, Outcomes()),
	)
}

func oneOf(key, word string, words []string) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s must be one of %s, found %q", key, strings.Join(words, ", "), word)
}

// Match reports whether the row is listed: a class may be any of the run's, not only
// the one that is shown.
func (f Filter) Match(r Row) bool {
	return (f.Class == "" || slices.Contains(r.Classes, f.Class)) &&
		(f.Outcome == "" || f.Outcome == r.Outcome)
}

// IsTrace reports whether the id is that of a trace: the run names no task.
func (r Row) IsTrace() bool { return r.trace }
