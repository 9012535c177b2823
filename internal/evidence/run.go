package evidence

// Attrs are attribute values as OTLP carries them: string, int64, float64, bool,
// []byte, []any, or map[string]any. A missing key is absent, never zero.
type Attrs map[string]any

// Str returns a string value, or "" when the key is absent or of another type.
func (a Attrs) Str(key string) string { s, _ := a[key].(string); return s }

// Int returns an integer value and whether there is one.
func (a Attrs) Int(key string) (int64, bool) { n, ok := a[key].(int64); return n, ok }

// Float returns a number as a double and whether there is one.
func (a Attrs) Float(key string) (float64, bool) {
	switch n := a[key].(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// Bool returns a truth value and whether there is one.
func (a Attrs) Bool(key string) (value, ok bool) { value, ok = a[key].(bool); return value, ok }

// Strings returns the string items of a list, or nil.
func (a Attrs) Strings(key string) []string {
	list, _ := a[key].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Span status codes.
const (
	StatusUnset = "unset"
	StatusOK    = "ok"
	StatusError = "error"
)

// Span is one step as it is kept. Times are Unix nanoseconds.
type Span struct {
	Tenant         string
	ID             StepID
	Parent         SpanID // zero for a root
	Name           string
	Kind           string // internal, server, client, producer, consumer or ""
	Start, End     int64
	Status         string // StatusUnset, StatusOK, StatusError
	StatusMessage  string
	TraceState     string
	Service        string // service.name
	ServiceVersion string // service.version
	Scope          string
	ScopeVersion   string
	Attrs          Attrs
	Resource       Attrs
	Links          []Link
	Events         []SpanEvent
}

// Link points from its span to another one.
type Link struct {
	To         StepID
	Relation   string // a value of app.link.relation; "related" if unstated
	TraceState string
	Attrs      Attrs
}

// SpanEvent is an event inside a span.
type SpanEvent struct {
	Time  int64
	Name  string
	Attrs Attrs
}

// Record is one log record as it is kept. Times are Unix nanoseconds.
type Record struct {
	Tenant         string
	ID             RecordID
	Step           StepID // context of the record; zero trace if it has none
	Time           int64  // event time, else observed time
	Observed       int64
	Event          string // event name, "" if it has none
	Severity       string
	Service        string
	ServiceVersion string
	Scope          string
	ScopeVersion   string
	Body           any // as an attribute value
	Attrs          Attrs
	Resource       Attrs
}

// Task returns the task a span states, or "".
func (s *Span) Task() TaskID { return TaskID(s.Attrs.Str(taskID)) }

// Task returns the task a record states, or "".
func (r *Record) Task() TaskID { return TaskID(r.Attrs.Str(taskID)) }

// Run is everything known of one run. Spans with one id were merged before.
type Run struct {
	Tenant  string
	Spans   []Span
	Records []Record
}

// Batch is what arrives at a store in one piece; tenants may be mixed.
type Batch struct {
	Spans   []Span
	Records []Record
}
