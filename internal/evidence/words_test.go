package evidence

import "testing"

func TestErrorKinds(t *testing.T) {
	kinds := map[errorKind][]string{
		lostError: {"timeout", "TimeoutError", "deadline_exceeded", "DEADLINE_EXCEEDED", "connection reset", "ConnectionResetError", "connection_closed",
			"stream closed", "BrokenPipeError", "broken_pipe", "UNAVAILABLE", "502", "503", "504", "java.net.SocketTimeoutException", "ETIMEDOUT"},
		canceledError: {"cancelled", "canceled", "context canceled", "asyncio.CancelledError"},
		unsentError:   {"connection_refused", "ECONNREFUSED", "ConnectionRefusedError", "name_not_resolved", "ENOTFOUND", "no such host", "gaierror"},
		deniedError:   {"permission_denied", "PERMISSION_DENIED", "unauthenticated", "401", "403", "auth_required", "AuthenticationError", "Forbidden"},
		ownError:      {"", "_OTHER", "tool_error", "ValueError", "rejected", "500", "404", "not_found", "FileNotFoundError"},
	}
	for want, words := range kinds {
		for _, w := range words {
			s := &Span{Status: StatusError, Attrs: Attrs{"error.type": w}}
			if got := errorKindOf(s); got != want {
				t.Errorf("%q is kind %d, want %d", w, got, want)
			}
		}
	}
	for name, s := range map[string]*Span{
		"http status": {Status: StatusError, Attrs: Attrs{"http.response.status_code": int64(503)}},
		"rpc status":  {Status: StatusError, Attrs: Attrs{"error.type": "_OTHER", "rpc.response.status_code": "DEADLINE_EXCEEDED"}},
		"exception":   {Status: StatusError, Events: []SpanEvent{{Name: "exception", Attrs: Attrs{"exception.type": "ReadTimeout"}}}},
	} {
		if got := errorKindOf(s); got != lostError {
			t.Errorf("%s: kind %d", name, got)
		}
	}
	if got := errorKindOf(&Span{Status: StatusOK, Attrs: Attrs{"error.type": "timeout"}}); got != noError {
		t.Errorf("a span that ended well has error kind %d", got)
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		target, resource string
		want             bool
	}{
		{"a/b", "a/b", true}, {"a/b/c", "a/b", true}, {"a/b/c", "a/b/", true}, {"a/bc", "a/b", false}, {"a", "a/b", false},
		{"/etc/passwd", "/", true}, {"etc", "/", false}, {"a/b/../c", "a/b", false}, {"a/b/./c", "a/b", true}, {"../a/b", "a/b", false},
		{"https://h/x/y", "https://h/x", true}, {"https://h.evil/x", "https://h", false}, {"A/b", "a/b", false},
		{"a/b/c/../../..", "a", false}, {"a/../a/b", "a", true},
	} {
		if got := below(c.target, c.resource); got != c.want {
			t.Errorf("below(%q, %q) = %v", c.target, c.resource, got)
		}
	}
}

func TestParseStep(t *testing.T) {
	const trace, span = "0123456789abcdef0123456789abcdef", "0123456789abcdef"
	for in, want := range map[string]string{
		span: "/" + span, trace + "/" + span: trace + "/" + span, trace + "-" + span: trace + "/" + span, trace + ":" + span: trace + "/" + span,
		"00-" + trace + "-" + span + "-01": trace + "/" + span, "0123456789ABCDEF": "/" + span, "call-1": "", trace: "", trace + "x" + span: "", "": "",
	} {
		got := ""
		if s, ok := parseStep(in); ok {
			got = s.String()
		}
		if got != want {
			t.Errorf("parseStep(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVerdictWords(t *testing.T) {
	for label, want := range map[string]string{"pass": "pass", "Passed": "pass", " FAIL ": "fail", "failed": "fail", "passing": "unknown", "true": "unknown", "correct": "unknown", "": "unknown"} {
		if got := verdictOfLabel(label); got != want {
			t.Errorf("label %q is %s, want %s", label, got, want)
		}
	}
	for v, want := range map[any]string{"pass": "pass", "fail": "fail", "maybe": "unknown", int64(1): "unknown"} {
		f := FactsOf(&Span{Attrs: Attrs{"app.verifier.verdict": v, "gen_ai.evaluation.score.label": "pass"}})
		if len(f.Verdicts) != 1 || f.Verdicts[0].Verdict != want {
			t.Errorf("stated verdict %v: %+v", v, f.Verdicts)
		}
	}
}
