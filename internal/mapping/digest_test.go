package mapping

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

func digestTables(t *testing.T, options Options) *Tables {
	options.Digests, options.DigestKey, options.TenantKey = DigestKinds(), []byte("the key of this test"), "tenant.id"
	return embedded(t, options)
}

// The digest of a prompt does not depend on how the vendor spells messages, nor
// on whether they are mapped.
func TestEqualPromptsOfTwoDialectsHaveEqualDigests(t *testing.T) {
	native := oneSpan("s", "n", map[string]any{
		"gen_ai.operation.name":   "chat",
		"gen_ai.input.messages":   `[{"parts":[{"content":"hi","type":"text"}],"role":"user"}]`,
		"gen_ai.tool.definitions": `[{"type":"function","name":"f"}]`,
	})
	flat := oneSpan("openinference.instrumentation.openai", "n", map[string]any{
		"openinference.span.kind":              "LLM",
		"llm.input_messages.0.message.role":    "user",
		"llm.input_messages.0.message.content": "hi",
		"llm.tools.0.tool.json_schema":         `{"type": "function", "function": {"name": "f"}}`,
	})
	seen := map[string]bool{}
	for _, options := range []Options{{}, {Content: true}} {
		for _, in := range []ptrace.Traces{native, flat} {
			td := ptrace.NewTraces()
			in.CopyTo(td)
			digestTables(t, options).MapTraces(td)
			eachSpan(td, func(s ptrace.Span) {
				seen[attribute(s, "app.prompt.digest")+" "+attribute(s, "app.tool_catalog.hash")+" "+attribute(s, "app.context.hash")] = true
			})
		}
	}
	if len(seen) != 1 || seen["- - -"] {
		t.Errorf("digests %v", seen)
	}
}

// The context is what the model read: instructions and messages. Where the
// instructions stand makes no difference to the digests of either, nor does it
// whether content is mapped.
func TestContextIsInstructionsAndMessages(t *testing.T) {
	digests := func(options Options, system string) [2]string {
		td := oneSpan("s", "n", map[string]any{"gen_ai.operation.name": "chat"})
		span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		for _, m := range [][2]string{{"gen_ai.system.message", system}, {"gen_ai.user.message", "hi"}} {
			if m[1] != "" {
				e := span.Events().AppendEmpty()
				e.SetName(m[0])
				e.Attributes().PutStr("content", m[1])
			}
		}
		digestTables(t, options).MapTraces(td)
		return [2]string{attribute(span, "app.prompt.digest"), attribute(span, "app.context.hash")}
	}
	kept, mapped := digests(Options{}, "be brief"), digests(Options{Content: true}, "be brief")
	if kept != mapped || !strings.HasPrefix(kept[1], "hmac:") {
		t.Errorf("content kept %v, mapped %v", kept, mapped)
	}
	other, none := digests(Options{}, "be long"), digests(Options{}, "")
	if kept[0] != other[0] || kept[0] != none[0] {
		t.Errorf("the messages are equal and have digests %s, %s, %s", kept[0], other[0], none[0])
	}
	if kept[1] == other[1] || kept[1] == none[1] || none[1] == none[0] {
		t.Errorf("the instructions differ and the contexts are %s, %s, %s", kept[1], other[1], none[1])
	}
}

func TestOnlyAModelSeesAContext(t *testing.T) {
	for op, want := range map[string]bool{"chat": true, "invoke_agent": false} {
		td := oneSpan("s", "n", map[string]any{
			"gen_ai.operation.name": op,
			"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`,
		})
		digestTables(t, Options{}).MapTraces(td)
		eachSpan(td, func(s ptrace.Span) {
			if got := strings.HasPrefix(attribute(s, "app.context.hash"), "hmac:"); got != want {
				t.Errorf("%s has a context: %v", op, got)
			}
			if !strings.HasPrefix(attribute(s, "app.prompt.digest"), "hmac:") {
				t.Errorf("%s has no digest of its prompt", op)
			}
		})
	}
}

// With content kept, making digests moves nothing.
func TestDigestsLeaveContentInPlace(t *testing.T) {
	td := oneSpan("openinference.instrumentation.agno", "t", map[string]any{
		"openinference.span.kind": "TOOL", "tool.name": "look", "tool.parameters": `{"a": 1}`, "output.value": "42",
	})
	digestTables(t, Options{}).MapTraces(td)
	eachSpan(td, func(s ptrace.Span) {
		for _, key := range []string{"app.effect.request.digest", "app.effect.result.digest"} {
			if !strings.HasPrefix(attribute(s, key), "hmac:") {
				t.Errorf("%s is %s", key, attribute(s, key))
			}
		}
		if attribute(s, "tool.parameters") == "-" || attribute(s, "output.value") != "42" || attribute(s, "gen_ai.tool.call.result") != "-" {
			t.Error("content was moved")
		}
	})
}

func TestCanonicalForm(t *testing.T) {
	canonical := func(text string) string {
		var c content
		n := c.tree.parse(text)
		if n == nil {
			t.Fatal("no JSON")
		}
		return string(appendCanonical(nil, n))
	}
	for _, same := range [][]string{
		{`{"b":1,"a":[1.0,2e0]}`, ` { "a" : [1, 2] , "b" : 1.00 } `},
		{`"\u00e9\n"`, "\"é\\u000a\""},
		{`12345678901234567890`, `12345678901234567890`},
	} {
		if canonical(same[0]) != canonical(same[1]) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	if canonical(`"1"`) == canonical(`1`) {
		t.Error("a text and a number are equal")
	}
}
