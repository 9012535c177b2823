package quality

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

var update = flag.Bool("update", false, "rewrite docs/agents.md")

const agentsDoc = "../../docs/agents.md"

// states collects the keys that a dialect file can make true of a record: the
// targets of its fields, in whatever case, content and event.
func states(node any, under string, into map[string]bool) {
	switch n := node.(type) {
	case map[string]any:
		for k, v := range n {
			switch {
			case under == "fields" || under == "content":
				into[k] = true
			case k == "operation":
				into[semconv.GenAIOperationName] = true
			default:
				states(v, k, into)
			}
		}
	case []any:
		for _, v := range n {
			states(v, "", into)
		}
	}
}

// derived are keys that the mapper makes of another one: digests of content.
var derived = map[string]string{
	semconv.GenAIToolCallArguments: semconv.AppEffectRequestDigest,
	semconv.GenAIInputMessages:     semconv.AppContextHash,
	semconv.GenAIToolDefinitions:   semconv.AppToolCatalogHash,
}

// needs are, for each question, what must be stated for an answer: all of some
// lists, of each list any key. Questions that no key decides alone have a part only.
type needs struct{ full, part [][]string }

var perQuestion = [10]needs{
	{full: [][]string{{semconv.AppTaskGoalDigest}, {semconv.AppHarnessVersion, semconv.GenAIAgentVersion}},
		part: [][]string{{semconv.AppTaskGoalDigest, semconv.AppHarnessVersion, semconv.GenAIAgentVersion}}},
	{full: [][]string{{semconv.AppVerifierVerdict, semconv.AppPermissionDecision, semconv.AppControlPhase, semconv.AppEffectStage}},
		part: [][]string{{semconv.GenAIOperationName}}},
	{full: [][]string{{semconv.AppToolCatalogHash}, {semconv.AppContextHash}},
		part: [][]string{{semconv.AppToolCatalogHash, semconv.AppContextHash}}},
	{full: [][]string{{semconv.AppPermissionDecision}, {semconv.AppPermissionDecidedBy}, {semconv.AppPermissionPolicyID, semconv.AppPermissionRuleID}, {semconv.AppAuthorityActor, semconv.AppAuthoritySubject}},
		part: [][]string{{semconv.AppPermissionDecision, semconv.AppAuthorityActor, semconv.AppAuthoritySubject}}},
	{full: [][]string{{semconv.AppEffectStage}, {semconv.AppEffectReceiptID}},
		part: [][]string{{semconv.AppToolEffectClass, semconv.AppEffectStage}}},
	{full: [][]string{{semconv.AppEffectIdempotencyKey}},
		part: [][]string{{semconv.AppEffectRequestDigest}}},
	{full: [][]string{{semconv.AppControlPhase}, {semconv.AppControlLayer}},
		part: [][]string{{semconv.AppControlPhase}}},
	{full: [][]string{{semconv.AppProtocolVersionNegotiated, semconv.MCPProtocolVersion}, {semconv.AppErrorLayer}},
		part: [][]string{{semconv.AppProtocolVersionNegotiated, semconv.MCPProtocolVersion, semconv.AppProtocolName, semconv.MCPMethodName}}},
	{full: [][]string{{semconv.AppVerifierVerdict, semconv.GenAIEvaluationScoreLabel}, {semconv.AppVerifierName}, {semconv.AppVerifierVersion}},
		part: [][]string{{semconv.AppVerifierVerdict, semconv.GenAIEvaluationScoreLabel, semconv.GenAIEvaluationScoreValue}}},
	{full: [][]string{{semconv.AppOutcome}, {semconv.AppClaimBasis, semconv.AppVerifierVerdict}},
		part: [][]string{{semconv.AppOutcome}}},
}

func met(lists [][]string, keys map[string]bool) bool {
	for _, any := range lists {
		if !slices.ContainsFunc(any, func(k string) bool { return keys[k] }) {
			return false
		}
	}
	return true
}

// reach says how far what is stated can answer a question.
func reach(n *needs, keys map[string]bool) string {
	switch {
	case met(n.full, keys):
		return evidence.Answered
	case met(n.part, keys):
		return evidence.Partly
	}
	return evidence.Missing
}

// lacking are the keys that stand between what is stated and an answer.
func lacking(n *needs, keys map[string]bool) []string {
	var out []string
	for _, any := range n.full {
		if !slices.ContainsFunc(any, func(k string) bool { return keys[k] }) {
			out = append(out, "`"+any[0]+"`")
		}
	}
	return out
}

func dialectKeys(t *testing.T) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for name, b := range semconv.DialectFiles() {
		var file map[string]any
		if err := yaml.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for _, signal := range []string{"spans", "logs"} {
			states(file[signal], signal, keys)
		}
		if name == conventionItself {
			for _, a := range snapshot(t).Attributes {
				keys[a.Key] = true
			}
		}
		for content, digest := range derived {
			keys[digest] = keys[digest] || keys[content]
		}
		out[name] = keys
	}
	return out
}

// conventionItself is the dialect of emitters that need no rule: they state the
// convention's keys, all of which may be there.
const conventionItself = "genai"

func snapshot(t *testing.T) *semconv.Snapshot {
	s, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agentsTable writes the table of docs/agents.md.
func agentsTable(t *testing.T) []byte {
	var b bytes.Buffer
	marks := map[string]string{evidence.Answered: "●", evidence.Partly: "◐", evidence.Missing: "–"}
	all := dialectKeys(t)
	b.WriteString("<!-- Generated by `go test ./internal/quality -run Agents -update`. -->\n# What today's agents leave unanswered\n\n" +
		"Which of the [ten questions](data-model.md#the-ten-questions-over-the-run-from-any-span-or-log-record) the telemetry of an agent or framework can answer by itself, read from its\n" +
		"[dialect file](../semconv/dialects/README.md): a question whose attributes no rule of the file ever states cannot be answered, however complete a run is. `●` all that an answer needs can\n" +
		"be stated, `◐` a part of it, `–` nothing. It is what can be stated at best: a given version, mode or run may state less (`otelcol-agent quality` shows what yours do), and what\n" +
		"you state beside the agent, as `app.*`, counts for every agent. Question 2 is `◐` where a first wrong step can be found but, without verdict, decision, control or stage, only as likely.\n" +
		"For question 7 `–` means that a cancel is not seen at all, and for question 5 `◐` that the executor's word stands without a receipt. Agents that speak the convention itself are `genai`.\n\n| agent |")
	for i := range 10 {
		fmt.Fprintf(&b, " %d |", i+1)
	}
	b.WriteString("\n|---|" + strings.Repeat(":-:|", 10) + "\n")
	names := slices.Sorted(maps.Keys(all))
	counts := [10]map[string]int{}
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` |", name)
		for i := range perQuestion {
			r := reach(&perQuestion[i], all[name])
			if counts[i] == nil {
				counts[i] = map[string]int{}
			}
			counts[i][r]++
			fmt.Fprintf(&b, " %s |", marks[r])
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## By question\n\n| n | question | ● | ◐ | – | what is missing most often |\n|---|---|---|---|---|---|\n")
	for i := range perQuestion {
		gaps := map[string]int{}
		for _, name := range names {
			for _, key := range lacking(&perQuestion[i], all[name]) {
				gaps[key]++
			}
		}
		keys := slices.SortedFunc(maps.Keys(gaps), func(a, b string) int {
			if gaps[a] != gaps[b] {
				return gaps[b] - gaps[a]
			}
			return strings.Compare(a, b)
		})
		var said []string
		for _, k := range keys[:min(len(keys), 3)] {
			said = append(said, fmt.Sprintf("%s (%d of %d)", k, gaps[k], len(names)))
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %d | %d | %s |\n", i+1, evidence.QuestionText(i+1),
			counts[i][evidence.Answered], counts[i][evidence.Partly], counts[i][evidence.Missing], strings.Join(said, ", "))
	}
	return b.Bytes()
}

// The table is what the dialect files say.
func TestAgentsTableIsTrue(t *testing.T) {
	want := agentsTable(t)
	if *update {
		if err := os.WriteFile(agentsDoc, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(agentsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/agents.md differs from the dialect files; run: go test ./internal/quality -run Agents -update")
	}
}

// What a question needs is what package evidence asks for: a run that states all
// of it has the answer, and without any one of it has none.
func TestAgentsNeedWhatTheQuestionsAsk(t *testing.T) {
	values := map[string]any{semconv.AppClaimBasis: []any{"tests"}, semconv.AppVerifierVerdict: "pass", semconv.AppPermissionDecision: "allow", semconv.AppPermissionDecidedBy: "policy",
		semconv.AppOutcome: "completed"}
	for _, i := range []int{0, 2, 3, 8, 9} { // the other questions are answered by what is not there, too
		all := func(without int) evidence.Attrs {
			a := evidence.Attrs{}
			for j, any := range perQuestion[i].full {
				if j == without {
					continue
				}
				if a[any[0]] = values[any[0]]; a[any[0]] == nil {
					a[any[0]] = "x"
				}
			}
			return a
		}
		if q := evidence.Answer(run("s", all(-1)))[i]; q.Status != evidence.Answered {
			t.Errorf("question %d with all of it is %s, without %v", i+1, q.Status, q.Missing)
		}
		for j := range perQuestion[i].full {
			if q := evidence.Answer(run("s", all(j)))[i]; q.Status == evidence.Answered {
				t.Errorf("question %d is answered without %s", i+1, perQuestion[i].full[j][0])
			}
		}
	}
}

// What agents have sent, mapped, states nothing that the table rules out.
func TestAgentsReplayedStateNoMore(t *testing.T) {
	files := map[string][]byte{}
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	tables, err := mapping.Compile(files, snapshot(t), mapping.Options{Content: true, Digests: mapping.DigestKinds(), DigestKey: []byte("sixteen bytes and more")})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, pattern := range []string{"../../testbed/corpus/*.json", "../../testbed/corpus/frameworks/*.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	all, seen, beyond := dialectKeys(t), map[string]map[string]bool{}, map[string]bool{}
	look := func(sent, a pcommon.Map) {
		d, ok := a.Get(semconv.AppMappingDialect)
		if !ok {
			return
		}
		if seen[d.Str()] == nil {
			seen[d.Str()] = map[string]bool{}
		}
		for k := range a.All() {
			if _, own := sent.Get(k); own {
				continue // of the convention itself, which every emitter may speak
			}
			seen[d.Str()][k] = true
			for i := range perQuestion {
				for _, any := range slices.Concat(perQuestion[i].full, perQuestion[i].part) {
					if slices.Contains(any, k) && !all[d.Str()][k] {
						beyond[d.Str()+" states "+k+" of question "+fmt.Sprint(i+1)] = true
					}
				}
			}
		}
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b); err == nil && td.SpanCount() > 0 {
			before := ptrace.NewTraces()
			td.CopyTo(before)
			tables.MapTraces(td)
			for i, rs := range td.ResourceSpans().All() {
				for j, ss := range rs.ScopeSpans().All() {
					for k, s := range ss.Spans().All() {
						look(before.ResourceSpans().At(i).ScopeSpans().At(j).Spans().At(k).Attributes(), s.Attributes())
					}
				}
			}
		}
		if ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(b); err == nil && ld.LogRecordCount() > 0 {
			before := plog.NewLogs()
			ld.CopyTo(before)
			tables.MapLogs(ld)
			for i, rl := range ld.ResourceLogs().All() {
				for j, sl := range rl.ScopeLogs().All() {
					for k, r := range sl.LogRecords().All() {
						look(before.ResourceLogs().At(i).ScopeLogs().At(j).LogRecords().At(k).Attributes(), r.Attributes())
					}
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("the corpus has %d dialects", len(seen))
	}
	for what := range beyond {
		t.Error(what)
	}
}
