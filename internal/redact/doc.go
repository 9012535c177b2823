// Package redact replaces what may not cross a trust boundary in traces, logs,
// metrics and profiles, in place, and says how much it replaced and where.
//
// Words:
//
//   - position: a place in the data that holds text (hits.go lists them)
//   - rule: one kind of secret or personal data, with its keywords and shape
//     (rules/*.yaml)
//   - keyword: fixed text that every value of a kind holds
//   - candidate: a place where a keyword was seen and a rule is tried
//   - token: what stands for a replaced value, [redacted:KIND:12hex]; the hex is
//     a keyed digest, so equal values have equal tokens inside a key and tenant
//   - content: what people or models wrote, or a tool's input or output; known
//     by its key, replaced whole
//   - name-like: a text that could be a name, an id, a path or a word of a list
//   - unknown: a key that no registry, rule or setting knows; text under it that
//     is not name-like is treated as content
//   - path: the keys of a message by which it is read (role, tool_calls, …); off
//     the path everything is content
//   - wall: a token inside a text; no rule looks into, over or past it
//   - context header: traceparent, tracestate or baggage where an instrumentation
//     recorded it; treated by the rules of package w3c, member by member
//   - restart: a trace's id is made anew at the boundary, by a keyed digest
//   - stamp: app.redaction.* on a span or log record that passed
//
// A text is read once by an automaton over all keywords; only candidates meet
// their rule. What a rule replaces is read again until nothing matches, so the
// result of a pass is a fixed point: a second pass changes nothing.
//
// Whatever cannot be judged (too long, too deep, too much work, a panic) is
// replaced and counted by reason, never passed.
//
// The package makes no key and reads no file, clock or environment. Client
// metadata is none of its business: it is not in the data.
package redact
