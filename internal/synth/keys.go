package synth

import (
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// keyTable is the explicit list of attributes that may be copied from a record
// to a span. An attribute in memory is its place in this list.
type keyTable struct {
	names []string // sorted
	index map[string]uint16

	// What is said of a key, by its place:
	turn   []bool // says where the record belongs, so the root has it
	own    []bool // the others
	placed []bool // turn, or says which task the record is for
	any    []bool
	agent  []bool // says which agent the record is of
	quiet  []bool // not part of what makes two records the same
}

// keys returns the list: every key of the pinned snapshot and of app.* that is
// not content, without those that another step owns or that become something
// else than an attribute.
var keys = sync.OnceValue(func() *keyTable {
	return newKeyTable(candidates(), semconv.Content().Match)
})

// consumed keys become times, links, an operation or a mark.
var consumed = map[string]bool{
	semconv.AppEventDuration:   true,
	semconv.AppLinkRelation:    true,
	semconv.AppMappingInferred: true,
	semconv.AppRedactionCount:  true,
	// The record's own name says nothing of the span.
	semconv.AppMappingOriginalName: true,
}

// foreign prefixes belong to the steps judge and keep.
var foreign = []string{"app.verifier.", "app.evaluation.", "gen_ai.evaluation.", "app.sampling."}

var (
	turnKeys = []string{
		semconv.AppSessionID, semconv.AppTurnID, semconv.AppTurnDelegated, semconv.GenAIConversationID, semconv.AppHarnessName,
		semconv.AppHarnessVersion, semconv.AppWorkspaceTrust, semconv.AppMappingDialect, semconv.AppMappingSnapshot,
		semconv.AppRedactionBoundary, semconv.AppRedactionPolicy,
	}
	taskKeys = []string{
		semconv.AppTaskID, semconv.AppTaskParentID, semconv.AppTaskRootID, semconv.AppTaskAttempt,
		semconv.AppTaskPhase, semconv.AppTaskGoalDigest,
	}
	agentKeys = []string{
		semconv.GenAIAgentName, semconv.AppAgentInstanceID, semconv.AppAgentParentInstanceID, semconv.AppAgentParentCallID,
	}
	quietKeys = []string{
		semconv.AppMappingDialect, semconv.AppMappingSnapshot, semconv.AppMappingUsageBasis,
		semconv.AppRedactionBoundary, semconv.AppRedactionPolicy,
	}
)

func candidates() []semconv.Attribute {
	var all []semconv.Attribute
	for _, g := range semconv.App().Groups {
		all = append(all, g.Attributes...)
	}
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		panic(err) // embedded; a test loads it
	}
	all = append(all, semconv.Attribute{Key: semconv.HTTPResponseStatusCode, Type: "int"})
	return append(all, snapshot.Attributes...)
}

func newKeyTable(all []semconv.Attribute, isContent func(string) bool) *keyTable {
	t := &keyTable{index: map[string]uint16{}}
	for _, a := range all {
		if copied(a, isContent) {
			t.names = append(t.names, a.Key)
		}
	}
	slices.Sort(t.names)
	t.names = slices.Compact(t.names)
	if len(t.names) > maxKeys {
		panic("synth: more keys than a key set holds") // a test builds the table
	}
	for i, n := range t.names {
		t.index[n] = uint16(i)
	}
	t.turn, t.placed, t.any = t.mark(turnKeys), t.mark(slices.Concat(turnKeys, taskKeys)), t.mark(t.names)
	t.agent, t.quiet = t.mark(agentKeys), t.mark(quietKeys)
	t.own = t.mark(slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return t.turn[t.index[n]] }))
	return t
}

func copied(a semconv.Attribute, isContent func(string) bool) bool {
	if a.Content || consumed[a.Key] || a.Type == "any" || a.Type == "template" || isContent(a.Key) {
		return false
	}
	return !slices.ContainsFunc(foreign, func(p string) bool { return strings.HasPrefix(a.Key, p) })
}

func (t *keyTable) mark(names []string) []bool {
	marks := make([]bool, len(t.names))
	for _, n := range names {
		if i, ok := t.index[n]; ok {
			marks[i] = true
		}
	}
	return marks
}

// place returns a key's place; the key is one that the table has.
func place(key string) uint16 {
	i, ok := keys().index[key]
	if !ok {
		panic("synth: a key that rules rely on is not copied") // a test builds the table
	}
	return i
}

// places are the keys that the tree is built from.
var places = sync.OnceValue(func() *placeTable {
	return &placeTable{
		agent: place(semconv.GenAIAgentName), tool: place(semconv.GenAIToolName),
		call: place(semconv.GenAIToolCallID), instance: place(semconv.AppAgentInstanceID),
		parentInstance: place(semconv.AppAgentParentInstanceID),
		parentCall:     place(semconv.AppAgentParentCallID),
		request:        place(semconv.AppRequestID),
		requestModel:   place(semconv.GenAIRequestModel), responseModel: place(semconv.GenAIResponseModel),
		decision: place(semconv.AppPermissionDecision), enforced: place(semconv.AppPermissionEnforced),
		errorType: place(semconv.ErrorType), errorLayer: place(semconv.AppErrorLayer),
		task: place(semconv.AppTaskID), phase: place(semconv.AppTaskPhase), control: place(semconv.AppControlKind),
		delegated: place(semconv.AppTurnDelegated),
	}
})

type placeTable struct {
	agent, tool, call, instance, parentInstance, parentCall, request, requestModel, responseModel, decision, enforced, errorType, errorLayer, task, phase, control, delegated uint16
}
