package mapping

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// finishWords fold the providers' reasons into the snapshot's. An empty word
// means that the source said nothing; a reason that is not listed stays.
var finishWords = map[string]string{
	"stop": "stop", "end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "completed": "stop", "eos": "stop",
	"complete": "stop", "eos_token": "stop", "stop_token": "stop",
	"length": "length", "max_tokens": "length", "incomplete": "length", "model_length": "length",
	"max_output_tokens": "length", "model_context_window_exceeded": "length",
	"content_filter": "content_filter", "safety": "content_filter", "blocklist": "content_filter", "prohibited_content": "content_filter",
	"spii": "content_filter", "refusal": "content_filter", "guardrail_intervened": "content_filter",
	"content_filtered": "content_filter", "image_safety": "content_filter", "error_toxic": "content_filter", "image_prohibited_content": "content_filter",
	"tool_call": "tool_call", "tool_calls": "tool_call", "tool_use": "tool_call", "function_call": "tool_call",
	"error": "error", "failed": "error", "cancelled": "error", "recitation": "error",
	"compaction": "compaction", "malformed_tool_use": "error", "malformed_model_output": "error", "too_many_tool_calls": "error",
	"malformed_function_call": "error", "other": "error", "unexpected_tool_call": "error",
	"unspecified": "", "finish_reason_unspecified": "", "in_progress": "", "queued": "", "unknown": "", "": "", "undefined": "", "null": "",
}

// foldFinish gives the snapshot's word for a provider's; it allocates only for
// words in capitals or with dashes.
func foldFinish(raw string) string {
	if to, ok := finishWords[raw]; ok {
		return to
	}
	word := strings.ToLower(strings.TrimSpace(raw))
	word = enumMember(word)
	word = strings.ReplaceAll(word, "-", "_")
	if to, ok := finishWords[word]; ok {
		return to
	}
	return raw
}

// enumMember is the name of a member of an enumeration, as Python prints it:
// FinishReason.STOP or <FinishReason.STOP: 'stop'>.
func enumMember(word string) string {
	if inner, ok := strings.CutPrefix(word, "<"); ok {
		word, _, _ = strings.Cut(inner, ":")
	}
	if class, member, ok := strings.Cut(word, "."); ok && strings.HasSuffix(class, "reason") {
		return member
	}
	return word
}

// writeFinish folds a list of reasons and keeps the provider's own words beside
// it when they differ. One text may hold several reasons with commas between.
func (s *scratch) writeFinish(to *target, d datum) {
	if d.kind == kindValue && foldsToItself(d) {
		if s.has(to.id) && d.v == s.attrs[to.id].val {
			return
		}
	}
	raw := listOf(d)
	if len(raw) == 1 && strings.Contains(raw[0], ",") {
		raw = strings.Split(raw[0], ",")
		for i := range raw {
			raw[i] = strings.TrimSpace(raw[i])
		}
	}
	folded, same := make([]string, 0, len(raw)), true
	for _, r := range raw {
		word := foldFinish(r)
		same = same && word == r || r == ""
		if word != "" {
			folded = append(folded, word)
		}
	}
	if !same && !s.has(s.t.known.finishRaw.id) {
		s.emit(s.t.known.finishRaw, datum{kind: kindList, list: raw})
	}
	if len(folded) == 0 {
		if s.has(to.id) && !s.gone(to.id) {
			s.removeAttribute(to.id)
		}
		return
	}
	s.emit(to, datum{kind: kindList, list: folded})
}

func foldsToItself(d datum) bool {
	list := d.v.Slice()
	for i := 0; i < list.Len(); i++ {
		if r := list.At(i); r.Type() != pcommon.ValueTypeStr || r.Str() == "" || foldFinish(r.Str()) != r.Str() || strings.Contains(r.Str(), ",") {
			return false
		}
	}
	return true
}

func (s *scratch) removeAttribute(id int32) { s.removeAt(int(s.attrs[id].pos)) }

func (s *scratch) removeAt(pos int) {
	if pos < 0 {
		return
	}
	for len(s.remove) <= pos {
		s.remove = append(s.remove, kept)
	}
	if s.remove[pos] == kept {
		s.remove[pos] = removed
	}
	s.anyGone = true
}
