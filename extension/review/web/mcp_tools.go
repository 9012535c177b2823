package web

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/portion"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// Inputs of tools: parameters of the API, by their names. What terms are is told by
// their kinds.
type (
	inTenant struct {
		Tenant *string `json:"tenant,omitempty" jsonschema:"Only this tenant; an empty text is what has none. Without it all are looked at."`
	}
	listInput struct {
		inTenant
		Since    string `json:"since,omitempty" jsonschema:"Only what was active since: 24h, 7d, a date or an RFC 3339 time."`
		Class    string `json:"class,omitempty" jsonschema:"Only runs that were kept because of this."`
		Outcome  string `json:"outcome,omitempty" jsonschema:"Only runs whose agent claims this, or that still run."`
		Session  string `json:"session,omitempty"`
		ToolCall string `json:"tool_call,omitempty"`
		Artifact string `json:"artifact,omitempty"`
		Effect   string `json:"effect,omitempty"`
		Receipt  string `json:"receipt,omitempty"`
		Decision string `json:"decision,omitempty"`
		Agent    string `json:"agent,omitempty"`
		Tool     string `json:"tool,omitempty"`
		Limit    int    `json:"limit,omitempty" jsonschema:"Runs of a page; 20 without it."`
		After    string `json:"after,omitempty" jsonschema:"next of the page before, with the same filters."`
	}
	runInput struct {
		inTenant
		ID string `json:"id" jsonschema:"A task id; or a trace id, or its first digits, six at least."`
	}
	traceInput struct {
		inTenant
		Trace string `json:"trace" jsonschema:"A trace id, 32 hex digits."`
		From  int    `json:"from,omitempty" jsonschema:"Number of the first step, from 0."`
		Limit int    `json:"limit,omitempty" jsonschema:"Steps of a page; 50 without it."`
	}
	stepInput struct {
		inTenant
		Trace string `json:"trace" jsonschema:"A trace id, 32 hex digits."`
		Span  string `json:"span" jsonschema:"A span id, 16 hex digits."`
	}
	searchInput struct {
		inTenant
		Q string `json:"q" jsonschema:"The whole id or name."`
	}
)

// Pages for models.
const (
	toolRuns, toolRunsMost   = "20", 40
	toolSteps, toolStepsMost = "50", 80
)

// addTools adds all tools: the questions of an investigation, in their order.
func (h *Handler) addTools(s toolbox) {
	addTool[listInput, list](h, s, question{api: "/tasks", size: toolRuns, Tool: mcp.Tool{
		Name: "list_tasks", Title: "List tasks",
		Description: "Lists runs of agents, newest first, a page at a time: what was claimed (outcome) beside what the evidence supports (supported), why it was kept (class), and whether a first wrong step is known " +
			"(result). All filters must hold. next is the value of after for the following page; it is empty at the end. A page may be short, or empty, and have a next.",
	}, bounds: portion.Settings{Whole: []string{"tasks"}}, tune: func(in *jsonschema.Schema) {
		for _, kind := range evidence.TermKinds() {
			in.Properties[string(kind)].Description = "Only runs that state this " + kind.Described() + "."
		}
		oneOf(in, "class", evidence.Classes())
		oneOf(in, "outcome", listing.Outcomes())
		between(in, "limit", 1, toolRunsMost)
	}})
	addTool[searchInput, review.Found](h, s, question{api: "/search", Tool: mcp.Tool{
		Name: "search", Title: "Search by an id or a name",
		Description: "Says what a text is the name of: " + review.Searched + ". For a task or a trace ask get_report with the same text; for every other kind list_tasks has a filter of that name.",
	}})
	addTool[runInput, evidence.Report](h, s, question{api: "/tasks/{id}", Tool: mcp.Tool{
		Name: "get_report", Title: "Get the report of a task",
		Description: "Reviews the run that holds a task or a trace, over all its traces and attempts: claims and what they lack, the first wrong step and what proves it (attribution), effects stage by stage, decisions and " +
			"whether they were bypassed, controls, verdicts, boundaries, links, and ten questions with what is missing. left_off counts what was cut from long lists.",
	}})
	addTool[traceInput, review.TraceData](h, s, question{api: "/traces/{trace}", size: toolSteps, Tool: mcp.Tool{
		Name: "get_trace", Title: "Get the steps of a trace",
		Description: "Returns the steps of one trace as a tree in rows, parents first, a page at a time, with their marks (decisions, effects, controls, verdicts) and links. " +
			"steps counts all of the trace; for the following page ask from the number of the first row plus those you got. next is the address of that page in the API, empty at the end.",
	}, bounds: portion.Settings{Whole: []string{"rows"}}, tune: func(in *jsonschema.Schema) {
		between(in, "limit", 1, toolStepsMost)
		in.Properties["from"].Minimum = jsonschema.Ptr(0.0)
	}})
	addTool[stepInput, review.StepDetail](h, s, question{api: "/traces/{trace}/spans/{span}", Tool: mcp.Tool{
		Name: "get_step", Title: "Get one step with its attributes",
		Description: "Returns one step of a trace with all its attributes as text, and the steps that have equal digests. The last two parts of a step's place are its trace and span id.",
	}, bounds: portion.Settings{Maps: []string{"attributes", "resource", "equal_digests"}}})
}

func oneOf(in *jsonschema.Schema, name string, words []string) {
	for _, w := range words {
		in.Properties[name].Enum = append(in.Properties[name].Enum, w)
	}
}

func between(in *jsonschema.Schema, name string, least, most float64) {
	in.Properties[name].Minimum, in.Properties[name].Maximum = &least, &most
}
