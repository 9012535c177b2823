package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// texts that want to be more than text. Each would call alert, ask for something
// elsewhere, turn the line around or break the page.
var texts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' autofocus onfocus='alert(1)' x='`, `</title><svg onload=alert(1)>`, `<base href="http://elsewhere.example/">`,
	`<style>@import "http://elsewhere.example/x.css"</style>`, `javascript:alert(1)`, `data:text/html,<script>alert(1)</script>`, `<a href="javascript:alert(1)">t</a>`, `</script></dialog></main><form action=http://elsewhere.example>`,
	`{{.}}${alert(1)}`, "\x1b[2J\x1b]0;owned\x07\x1b[31mred", "abc\u202edcba\u2066x\u2069", "مرحبا بالعالم", "zalgo" + strings.Repeat("\u0300\u0301", 40), strings.Repeat("W", 3000), strings.Repeat("no_space/", 200), "\U0001f469\u200d\U0001f4bb\u2028line", "nul\x00 bad\xff",
}

// hostile is a run of two linked traces for every text, which stands wherever text of
// others can.
func hostile() (b evidence.Batch) {
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	for n, text := range texts {
		trace := func(k byte) evidence.TraceID { return evidence.TraceID{byte(n) + 1, k, 0xab} }
		attrs := func(more evidence.Attrs) evidence.Attrs {
			all := evidence.Attrs{
				semconv.AppTaskID: text, semconv.GenAIAgentName: text, semconv.AppSessionID: text, semconv.AppEffectTarget: text, semconv.ErrorType: text,
				semconv.AppProtocolName: "mcp", semconv.ServerAddress: text, "nested": map[string]any{text: []any{text}}, text: text,
			}
			for k, v := range more {
				all[k] = v
			}
			return all
		}
		span := func(k byte, id, parent byte, more evidence.Attrs) evidence.Span {
			return evidence.Span{
				ID: evidence.StepID{Trace: trace(k), Span: evidence.SpanID{id}}, Parent: evidence.SpanID{parent}, Name: text, Service: text, Scope: text, Status: evidence.StatusError, StatusMessage: text,
				Start: at + int64(n)*60e9 + int64(id)*1e9, End: at + int64(n)*60e9 + 30e9, Attrs: attrs(more), Resource: evidence.Attrs{semconv.ServiceName: text, text: text},
				Events: []evidence.SpanEvent{{Name: text, Attrs: evidence.Attrs{text: text}}},
			}
		}
		root := span(1, 1, 0, evidence.Attrs{semconv.GenAIOperationName: "invoke_agent", semconv.AppOutcome: "completed", semconv.AppClaimBy: text, semconv.AppClaimBasis: []any{text}, semconv.AppClaimMissing: []any{text}})
		call := span(1, 2, 1, evidence.Attrs{semconv.GenAIOperationName: "execute_tool", semconv.GenAIToolName: text, semconv.GenAIToolCallID: text, semconv.AppToolEffectClass: "write", semconv.AppEffectID: text, semconv.AppEffectStage: "dispatched",
			semconv.AppPermissionDecision: "deny", semconv.AppPermissionDecidedBy: "policy", semconv.AppPermissionRuleID: text, semconv.AppPermissionPolicyID: text, semconv.AppPermissionEnforced: "executed", semconv.AppArtifactID: text})
		other := span(2, 3, 0, evidence.Attrs{semconv.GenAIOperationName: "chat", semconv.GenAIRequestModel: text, semconv.AppVerifierName: text, semconv.AppVerifierVersion: text, semconv.AppVerifierVerdict: "fail",
			semconv.AppControlID: "c", semconv.AppControlKind: "cancel", semconv.AppControlLayer: text, semconv.AppControlPhase: "ignored"})
		other.Links = []evidence.Link{{To: root.ID, Relation: "delegated_from"}}
		b.Spans = append(b.Spans, root, call, other)
	}
	return b
}

// Text of others stays text: it runs nothing, asks for nothing, and does not move what
// stands around it. A tab fails its test by itself for any dialog, error, refusal of
// the content policy, or request for anything else.
func TestTextOfOthersIsInert(t *testing.T) {
	base := over(t, stored(t, hostile()))
	for _, v := range []view{desk, {width: 390, height: 844}} {
		t.Run(fmt.Sprint(v.width), func(t *testing.T) {
			tb := open(t, base, v)
			for _, path := range []string{"/tasks", "/policy", "/evaluations", "/quality", "/health"} {
				tb.open(path)
				tb.inert(path)
				tb.whole("list" + strings.ReplaceAll(path, "/", "-"))
			}
			for n, text := range texts {
				trace := fmt.Sprintf("%02x01ab", n+1) + strings.Repeat("0", 26)
				step := "/traces/" + trace + "/spans/02" + strings.Repeat("0", 14)
				paths := []string{"/tasks/" + trace, step}
				if v.width == desk.width {
					paths = append(paths, "/traces/"+trace, "/tasks/"+trace+"/graph")
					if strings.ToValidUTF8(text, "") == text && len(text) < 1000 {
						paths = append(paths, "/search?q="+url.QueryEscape(text), "/sessions/"+url.PathEscape(text))
					}
				}
				for _, path := range paths {
					tb.open(path)
					tb.inert(fmt.Sprintf("%.40q at %.80s", text, path))
				}
				tb.open("/tasks/" + trace)
				eval[bool](tb, `(document.querySelector(".story a[data-step]").click(), true)`) // the script takes a part of another page into this one
				tb.until("the step is open", func() bool { return eval[bool](tb, `document.querySelector("dialog").open`) })
				tb.inert(fmt.Sprintf("%.40q in the drawer", text))
				tb.picture(fmt.Sprintf("drawer-%02d", n))
			}
		})
	}
}

func (t *tab) inert(what string) {
	t.Helper()
	require.Empty(t, t.heard(), what)
	require.Equal(t, "", eval[string](t, "page.overflow()"), what)
	require.Equal(t, "", eval[string](t, `[...document.querySelectorAll("[href], [src], [action]")].map((el) => el.href && el.href.baseVal || el.href || el.src || el.action)
		.filter((u) => typeof u === "string" && !u.startsWith(location.origin + "/") && !/^[#/][^/]/.test(u)).join(" ")`), "%s: an address that leads elsewhere", what)
	require.Equal(t, 0, eval[int](t, `document.querySelectorAll("body script, body style, img, iframe, object, embed, base, body link, [style]:not(.tl-svg), [onload], [onerror], [onfocus], [autofocus]").length`), "%s: an element that text made", what)
	require.False(t, eval[bool](t, `/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(document.documentElement.outerHTML)`), "%s: a character that acts on a reader", what)
	require.False(t, eval[bool](t, `/\p{M}{5}/u.test(document.body.innerText)`), "%s: marks that cover other lines", what)
	require.True(t, eval[bool](t, `page.shown(document.querySelector(".top .brand")) && document.querySelector(".top").getBoundingClientRect().height < 140 && !!document.querySelector(".foot")`), "%s: the head of the page stands", what)
}
