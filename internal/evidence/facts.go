package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

const taskID = semconv.AppTaskID

// Source says where a fact was stated.
type Source struct {
	Tenant string
	Step   StepID   // span that states it, or context of the record
	Record RecordID // zero when a span states it
	Task   TaskID   // task stated beside it, "" if none
	Time   int64    // when it was true: see the evidence model
}

// Decision is a permission or policy answer to one intent.
type Decision struct {
	Source
	ID            string // app.permission.decision.id, else derived from call and decider
	ToolCallID    string
	Verdict       string // allow, deny, ask, modify, abort
	DecidedBy     string
	Scope         string
	PolicyID      string
	PolicyVersion string
	RuleID        string
	Enforced      string
	Raw           string
	Derived       bool // the id is not stated
}

// EffectStage is one stage of one effect, as stated.
type EffectStage struct {
	Source
	EffectID       string // app.effect.id, else derived
	Stage          string // "" for a span that names an effect without a stage
	Attempt        int64  // 0 if unstated
	Tool           string
	ToolCallID     string
	Target         string
	Class          string
	RequestDigest  string
	ResultDigest   string
	IdempotencyKey string
	ReceiptID      string
	ReportedBy     string // effect or caller
	Derived        bool   // the id is not stated
	TargetInferred bool   // the target is the mapper's word, not the emitter's
}

// Control is one layer's word on a control.
type Control struct {
	Source
	ID    string
	Kind  string
	Layer string
	Phase string

	Derived bool // the id is not stated
}

// Verdict is one evaluation result.
type Verdict struct {
	Source
	SubjectKind string // step, artifact, effect, task or ""
	SubjectID   string
	Verifier    string
	Version     string
	Kind        string
	Verdict     string // pass, fail, unknown
	Metric      string
	Score       *float64
	ScaleMin    *float64
	ScaleMax    *float64
	Gate        bool
	Comparable  bool
	Missing     []string
}

// Claim is a state that someone asserts for a task.
type Claim struct {
	Source
	State   string
	By      string
	Basis   []string
	Missing []string
}

// Protocol is a crossing into another protocol, agent or machine.
type Protocol struct {
	Source
	Name          string // mcp, a2a, acp, lsp, http
	Peer          string
	Requested     string
	Negotiated    string
	Degraded      []string
	ExternalTask  string
	ExternalState string
	ErrorLayer    string
	Failed        bool
}

// Extension is a use of a skill, hook or plugin.
type Extension struct {
	Source
	Kind, ID, Version, Hash string
	Origin, Scope           string
	Decision                string
	Guard                   bool
	guardStated             bool
	FailPolicy              string
	ToolCallID              string
}

// Facts are all facts that one span or record states.
type Facts struct {
	Decisions  []Decision
	Effects    []EffectStage
	Controls   []Control
	Verdicts   []Verdict
	Claims     []Claim
	Protocols  []Protocol
	Extensions []Extension
}
