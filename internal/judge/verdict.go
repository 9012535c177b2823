package judge

import (
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Outcome says how a result found its subject; the list is closed.
type Outcome string

// Outcomes of a result.
const (
	Linked Outcome = "linked" // the step is known by trace id and span id
	Found  Outcome = "found"  // the only step with the response id, artifact or task that the record states
	Named  Outcome = "named"  // an artifact, effect, task or step is known by its id alone
	Orphan Outcome = "orphan" // the record states no subject
)

// Verdict is one evaluation result, read.
type Verdict struct {
	Tenant  string
	Outcome Outcome

	SubjectKind string // step, artifact, effect, task, or "" for an orphan
	SubjectID   string
	Target      evidence.StepID // step that was judged; zero if not known by trace and span id
	Context     evidence.StepID // context of the record where it is not the target; its span may be zero

	Task, ParentTask, RootTask evidence.TaskID

	Verifier, Version, Kind string
	Model                   string // model of an LLM judge
	PromptDigest            string // of what an LLM judge was asked
	Attempt                 int64  // tries that this result took; 0 if unstated
	Aggregation             string // how the score was made of several
	Verdict                 string // pass, fail, unknown
	Metric                  string
	Label                   string
	Score                   *float64 // finite, as stated
	ScaleMin, ScaleMax      *float64
	Gate                    *bool
	ResponseID              string
	ErrorType               string // set when the evaluation itself went wrong
	Layer                   string // where the result says that the error is

	Comparable bool
	Missing    []string // keys whose absence forbids a comparison, sorted

	Start, End time.Time
	id         evidence.StepID // zero until it is fixed
	Stated     int64           // time the record states, Unix nanoseconds; 0 if none
}
