package evidence

// OutcomeRunning is what the collector itself says of a run that no claim was
// made for and that is not at rest.
const OutcomeRunning = "running"

// Report is what a reviewer gets of one run, the same for terminal, API and
// page. Ids are lower-case hex; lists are ordered by time, then id; lists are
// never null. Times are RFC 3339 in UTC with nanoseconds.
type Report struct {
	Tenant      string          `json:"tenant"`
	TaskID      string          `json:"task_id"` // task asked for, else the root task
	RootTaskID  string          `json:"root_task_id"`
	Tasks       []string        `json:"tasks"`
	Traces      []string        `json:"traces"`
	Keep        KeepReport      `json:"keep"`
	Claims      []ClaimReport   `json:"claims"`
	Attribution Attribution     `json:"attribution"`
	Effects     []EffectReport  `json:"effects"`
	Decisions   []DecisionEntry `json:"decisions"`
	Controls    []ControlReport `json:"controls"`
	Verdicts    []VerdictEntry  `json:"verdicts"`
	Boundaries  []BoundaryEntry `json:"boundaries"`
	Links       []LinkEntry     `json:"links"`
	Questions   []Question      `json:"questions"`
}

// KeepReport names the keep classes of the run, the first of the table first.
type KeepReport struct {
	Class   string   `json:"class"`
	Classes []string `json:"classes"`
}

// ClaimReport is one claim, or the collector's own "running".
type ClaimReport struct {
	TaskID      string   `json:"task_id"`
	State       string   `json:"state"`
	ClaimedBy   string   `json:"claimed_by"`
	Rule        string   `json:"rule"`
	RuleVersion string   `json:"rule_version"`
	Basis       []string `json:"basis"`
	Missing     []string `json:"missing"`
	Time        string   `json:"time"`
}

// Attribution names the first wrong step, or says why there is none or why it
// is not known.
type Attribution struct {
	Result   string        `json:"result"` // step, clean, unknown
	TraceID  string        `json:"trace_id"`
	SpanID   string        `json:"span_id"`
	TaskID   string        `json:"task_id"`
	Agent    string        `json:"agent"`
	Layer    string        `json:"layer"`
	Class    string        `json:"class"`
	Strength string        `json:"strength"` // proved, likely, unknown
	Evidence []EvidenceRef `json:"evidence"`
	Missing  []string      `json:"missing"`
}

// EvidenceRef points at a row that proves something.
type EvidenceRef struct {
	Kind string `json:"kind"` // span, decision, effect, control, verdict
	ID   string `json:"id"`
}

// EffectReport is one effect over all its attempts.
type EffectReport struct {
	EffectID string          `json:"effect_id"`
	TaskID   string          `json:"task_id"`
	State    string          `json:"state"`
	Target   string          `json:"target"`
	Class    string          `json:"class"`
	Attempts []AttemptReport `json:"attempts"`
}

// AttemptReport is one try at an effect.
type AttemptReport struct {
	Attempt  int      `json:"attempt"`
	Relation string   `json:"relation"` // first, same_effect, same_request_unproven, new_effect
	Stages   []string `json:"stages"`
	TraceID  string   `json:"trace_id"`
	SpanID   string   `json:"span_id"`
}

// DecisionEntry is one decision.
type DecisionEntry struct {
	DecisionID    string `json:"decision_id"`
	TaskID        string `json:"task_id"`
	Verdict       string `json:"verdict"`
	DecidedBy     string `json:"decided_by"`
	PolicyID      string `json:"policy_id"`
	PolicyVersion string `json:"policy_version"`
	RuleID        string `json:"rule_id"`
	Enforced      string `json:"enforced"`
	Bypass        bool   `json:"bypass"`
	TraceID       string `json:"trace_id"`
	SpanID        string `json:"span_id"`
}

// ControlReport is one control, layer by layer.
type ControlReport struct {
	ControlID string        `json:"control_id"`
	Kind      string        `json:"kind"`
	Path      []ControlStep `json:"path"`
	StoppedAt string        `json:"stopped_at"` // last layer with effective, or ""
	IgnoredBy string        `json:"ignored_by"` // last layer with ignored or lost, or ""
}

// ControlStep is one layer's word.
type ControlStep struct {
	Layer string `json:"layer"`
	Phase string `json:"phase"`
	Time  string `json:"time"`
}

// VerdictEntry is one verdict.
type VerdictEntry struct {
	SubjectKind string   `json:"subject_kind"`
	SubjectID   string   `json:"subject_id"`
	Verifier    string   `json:"verifier"`
	Version     string   `json:"version"`
	Kind        string   `json:"kind"`
	Verdict     string   `json:"verdict"`
	Score       *float64 `json:"score"`
	Comparable  bool     `json:"comparable"`
	Missing     []string `json:"missing"`
	Disagrees   bool     `json:"disagrees"`
}

// BoundaryEntry is one crossing.
type BoundaryEntry struct {
	Layer   string `json:"layer"`
	Peer    string `json:"peer"`
	Version string `json:"version"`
	Errors  int    `json:"errors"`
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

// LinkEntry is one span link.
type LinkEntry struct {
	From     LinkEnd `json:"from"`
	To       LinkEnd `json:"to"`
	Relation string  `json:"relation"`
}

// LinkEnd is one end of a link.
type LinkEnd struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

// Question is one of the ten questions with its answer.
type Question struct {
	N        int      `json:"n"`
	Status   string   `json:"status"` // answered, partly, missing
	Answer   string   `json:"answer"`
	Evidence []string `json:"evidence"`
	Missing  []string `json:"missing"`
}
